/**
 * What other subjects may use of changes, but for what is drawn (`views.ts`).
 */
export { ChangesStore } from './stores/changes';
