/**
 * What other subjects may use of terminals, but for what is drawn (`views.ts`).
 */
export type { TerminalAppearance } from './stores/appearance';
export { ITerminals } from './tokens';
export type { ITerminalServices } from './views/services';
