/**
 * What other subjects may draw of agents.
 */
export { AgentCard } from './views/AgentCard';
export { GoalPlot } from './views/GoalPlot';
export { AgentContext, type IAgentServices, useAgent } from './views/services';
