/**
 * The terminal that is on the screen now, for commands and tests; there is one at most.
 */
import type { TerminalView } from './view';

export const current: { view: TerminalView | null } = { view: null };
