/**
 * The names of the commands about one agent as a whole. The start does not need them.
 */
export const AgentCommands = {
  /** These take the agent's slug as `agent`; without it, the agent of the current page, or the person chooses. */
  rename: 'cabinet:rename-agent',
  duplicate: 'cabinet:duplicate-agent',
  export: 'cabinet:export-agent',
  archive: 'cabinet:archive-agent',
  delete: 'cabinet:delete-agent',
  /** Takes the name under which the agent was put away as `name`; without it the person chooses. */
  restore: 'cabinet:restore-agent'
} as const;
