/**
 * The names of commands that are added after the start.
 */
/** Takes the folder to begin in as `cwd`. */
export const PRIVATE_TERMINAL = 'cabinet:new-private-terminal';

export const FIND_IN_TERMINAL = 'cabinet:find-in-terminal';
export const CHECK_RUNTIMES = 'cabinet:check-runtimes';

/** Gives the text of the terminal that was used last. */
export const TERMINAL_TEXT = 'cabinet:terminal-text';

/** To the changes that a run has made in the open document. */
export const NEXT_CHANGE = 'cabinet:next-change';
export const PREVIOUS_CHANGE = 'cabinet:previous-change';

/** Takes a plan's id as `plan`, and the id of one of its steps as `step`. */
export const OPEN_PLAN = 'cabinet:open-plan';

/**
 * Takes the path of a Markdown file as `path`; with `selected`, it is the file that is selected in the file browser,
 * and without both the current document.
 */
export const WORK_THROUGH = 'cabinet:work-through-checklist';

/** Takes the run's id as `run`. */
export const SHOW_SANDBOX = 'cabinet:show-sandbox';

/** About one agent as a whole. */
export const AgentCommands = {
  /** These take the agent's slug as `agent`; without it, the agent of the current page, or the person chooses. */
  rename: 'cabinet:rename-agent',
  duplicate: 'cabinet:duplicate-agent',
  export: 'cabinet:export-agent',
  archive: 'cabinet:archive-agent',
  delete: 'cabinet:delete-agent',
  /** Takes the name under which the agent was put away as `name`; without it the person chooses. */
  restore: 'cabinet:restore-agent',
  /** From a file that the person chooses. */
  import: 'cabinet:import-agent'
} as const;
