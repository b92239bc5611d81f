/**
 * What other subjects may use of changes, but for what is drawn (`views.ts`).
 */
export type { ChangesStore } from './stores/changes';
export { IChanges } from './tokens';
