/**
 * The names of the commands. What they do stands in the plugins.
 */
export const Commands = {
  openEditor: 'cabinet:open-editor',
  ask: 'cabinet:ask',
  askAboutFile: 'cabinet:ask-about-file',
  newSession: 'cabinet:new-session',
  showHistory: 'cabinet:show-history',
  stopRun: 'cabinet:stop-run',
  showOutput: 'cabinet:show-output',
  showRun: 'cabinet:show-run',
  closeSession: 'cabinet:close-session',
  findInTerminal: 'cabinet:find-in-terminal',
  checkRuntimes: 'cabinet:check-runtimes',
  terminalText: 'cabinet:terminal-text',
  newTerminal: 'cabinet:new-terminal',
  openTerminal: 'cabinet:open-terminal',
  approvals: 'cabinet:approvals',
  runtimes: 'cabinet:runtimes',
  recordings: 'cabinet:recordings',
  playRecording: 'cabinet:play-recording'
} as const;

/** Commands about the terminal that was used last: `cabinet:terminal-request` and so on. */
export const TERMINAL_COMMAND = 'cabinet:terminal-';
