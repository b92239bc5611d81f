/**
 * Loads the emulator with its view, by far the largest chunk, when a terminal is drawn.
 */
export const loadTerminalView = () =>
  import(/* webpackChunkName: "terminal-screen" */ './terminalView');
