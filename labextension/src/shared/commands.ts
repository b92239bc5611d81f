/**
 * The names of the commands, and their labels in each place. The plugins implement them.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

/** Their ids. Those about the terminal that was used last have separate ids (`TERMINAL_COMMAND`). */
export const Commands = {
  openEditor: 'cabinet:open-editor',
  askAboutFile: 'cabinet:ask-about-file',
  newSession: 'cabinet:new-session',
  showHistory: 'cabinet:show-history',
  stopRun: 'cabinet:stop-run',
  showOutput: 'cabinet:show-output',
  showRun: 'cabinet:show-run',
  instruct: 'cabinet:instruct',
  review: 'cabinet:review',
  closeSession: 'cabinet:close-session',
  newTerminal: 'cabinet:new-terminal',
  openTerminal: 'cabinet:open-terminal',
  approvals: 'cabinet:approvals',
  approvalRules: 'cabinet:approval-rules',
  agents: 'cabinet:agents',
  newAgent: 'cabinet:new-agent',
  pauseAll: 'cabinet:pause-all',
  resumeAll: 'cabinet:resume-all',
  /** Takes a play's slug as `play`, and `edit`. */
  plays: 'cabinet:plays',
  newPlay: 'cabinet:new-play',
  /** Takes the agent's slug as `agent`. */
  openAgent: 'cabinet:open-agent',
  confirmAgents: 'cabinet:confirm-agents',
  runtimes: 'cabinet:runtimes',
  activity: 'cabinet:activity',
  newRun: 'cabinet:new-run',
  /** Takes a folder of the root as `folder`: its project is shown. */
  pastSessions: 'cabinet:past-sessions',
  plans: 'cabinet:plans',
  channels: 'cabinet:channels',
  skills: 'cabinet:skills',
  recordings: 'cabinet:recordings',
  playRecording: 'cabinet:play-recording'
} as const;

/** Describes a command without arguments. */
export const NO_ARGS = { args: { type: 'object', properties: {} } } as const;

/** JupyterLab's own command for a terminal; absent where terminals are off. */
export const JUPYTER_TERMINAL = 'terminal:create-new';

/** Commands about the terminal that was used last: `cabinet:terminal-request` and so on. */
export const TERMINAL_COMMAND = 'cabinet:terminal-';

/** A command's label: the same words everywhere, in the palette with whose they are. */
export function labelled(
  label: string,
  trans: TranslationBundle
): (args: ReadonlyPartialJSONObject) => string {
  return args => (args.isPalette ? trans.__('Cabinet: %1', label) : label);
}
