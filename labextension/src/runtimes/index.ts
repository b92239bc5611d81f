/**
 * What other subjects may use of the agent CLIs, and of what a person chose to run with.
 */
export type { ChoiceStore } from './stores/choices';
export { fallbackNotes } from './stores/fallbacks';
export {
  IN_CONTAINER,
  type IIsolation,
  isolationLabel,
  isolationMeaning
} from './stores/isolation';
export { permissionLabel } from './stores/labels';
export { permissionModes, type RuntimeStore } from './stores/runtimes';
export { IChoices, IRuntimes } from './tokens';
