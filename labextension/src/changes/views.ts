/**
 * What other subjects may show of changes.
 */
export { mayDecide } from './stores/deciders';
export { certainFiles } from './stores/labels';
export { AnswerCard, WayBack } from './views/AnswerCard';
export { ChangesPane } from './views/ChangesPane';
export { ChangesContext, type IChangesServices } from './views/services';
export { FormerFile } from './views/FormerFile';
export { Counts } from './views/Counts';
export { Refusal } from './views/Refusal';
