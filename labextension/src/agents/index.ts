/**
 * What other subjects may use of agents, but for what is drawn (`views.ts`).
 */
export type { AgentStore } from './stores/agents';
export { IAgents } from './tokens';
