/**
 * What other subjects may show of changes.
 */
export { AnswerCard } from './views/AnswerCard';
export { ChangesPane } from './views/ChangesPane';
export { ChangesContext, type IChangesServices } from './views/services';
export { Counts } from './views/Counts';
