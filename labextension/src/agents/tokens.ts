/**
 * How other plugins reach named agents.
 */
import { Token } from '@lumino/coreutils';

import type { Lazy } from '../shared/lazy';
import type { AgentStore } from './stores/agents';

export type IAgents = Lazy<AgentStore>;

export const IAgents = new Token<IAgents>(
  'jupyter-cabinet:IAgents',
  'Gives the agents that this page shows, kept up by the server’s events.'
);
