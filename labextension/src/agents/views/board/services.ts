/**
 * What the list of agents is shown with, in its tab and in the sidebar.
 */
import * as React from 'react';

import type { ApprovalStore } from '../../../approvals';
import type { RunStore, WorkSwitchStore } from '../../../runs';
import type { RuntimeStore } from '../../../runtimes';
import type { AgentRow, RuntimeRow } from '../../../api/types';
import type { NewAgentRequest } from '../../stores/newAgentRequest';
import type { BoardStore } from '../../stores/board';
import type { NewAgentStore } from '../../stores/newAgent';
import type { IAgentServices } from '../services';

/** Made once for a page. */
export interface IBoardServices extends IAgentServices {
  board: BoardStore;
  asked: NewAgentRequest;
  runs: RunStore;
  approvals: ApprovalStore;
  runtimes: RuntimeStore;
  workSwitch: WorkSwitchStore;
  /** For one agent that is to be made. */
  newAgent: () => NewAgentStore;
  /** Whether there is such a command here. */
  has: (command: string) => boolean;
  /** Shows what an agent wants to be allowed, and confirms it. */
  confirm: (slug: string) => void;
  /** The same for the folder that the server works in. */
  confirmRoot: () => void;
}

export const BoardContext = React.createContext<IBoardServices | null>(null);

/** Only below a `BoardContext`. */
export function useBoard(): IBoardServices {
  return React.useContext(BoardContext)!;
}

/** The runtime of an agent, the default where it names none; undefined while they are not known. */
export function runtimeOf({ runtimes }: IBoardServices, agent: AgentRow): RuntimeRow | undefined {
  return agent.runtime === null
    ? runtimes.default
    : runtimes.items?.find(({ name }) => name === agent.runtime);
}
