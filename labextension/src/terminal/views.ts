/**
 * What other subjects may draw of terminals.
 */
export { TerminalActions } from './views/actions';
export { loadTerminalView } from './views/loadTerminalView';
export { guessSize } from './views/measure';
export { TerminalContext, useTerminals } from './views/services';
export { TerminalPane } from './views/TerminalPane';
export type { TerminalView } from './views/terminalView';
