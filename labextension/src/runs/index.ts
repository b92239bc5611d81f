/**
 * What other subjects may use of runs, but for what is drawn (`views.ts`).
 */
export { cost, elapsed, isDenied, queuePosition, runLabel, secondText } from './stores/labels';
export type { OutputStore, Row } from './stores/output';
export type { OutputPool } from './stores/outputPool';
export { isFinal, isWorking, type RunStore } from './stores/runs';
export { IRuns } from './tokens';
