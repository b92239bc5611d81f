/**
 * What other subjects may use of runs, but for what is drawn (`views.ts`).
 */
export {
  askedLine,
  cost,
  elapsed,
  isDenied,
  queuedWords,
  queuePosition,
  runLabel,
  secondText,
  shownAnswer,
  startedBy,
  starterOf,
  stateLabel
} from './stores/labels';
export { runAnnouncement } from './stores/announcements';
export { type IFolded, NOTHING, type OutputStore, type Row } from './stores/output';
export type { OutputPool } from './stores/outputPool';
export { runnersOf } from './stores/runners';
export { isFinal, isOwn, isWorking, type RunStore } from './stores/runs';
export { changedFiles, type Section, sectionsOf, toolGist, toolsOf } from './stores/sections';
export type { WorkSwitchStore } from './stores/workSwitch';
export { IRuns } from './tokens';
