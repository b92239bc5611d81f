/**
 * What agents are shown with, in a panel and in a cell of a notebook.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { AgentDetail } from '../../api/types';
import type { ConnectionStore } from '../../shared/connection';
import { useChanges } from '../../shared/views/hooks';
import type { WorkSwitchStore } from '../../runs';
import type { AgentStore } from '../stores/agents';
import type { ISituation } from '../stores/rights';

/** Given by whoever draws them. */
export interface IAgentServices {
  agents: AgentStore;
  connection: ConnectionStore;
  trans: TranslationBundle;
  /** The name of a runtime as people know it. */
  runtimeTitle: (name: string | null) => string;
  /** Opens the menu of what can be done with an agent as a whole; absent where there are no commands. */
  openMenu?: (slug: string, anchor: HTMLElement) => void;
  run: (command: string, args?: Record<string, string>) => void;
  /** Shows a run where it belongs; absent where there are no commands. */
  openRun?: (id: string) => void;
}

export const AgentContext = React.createContext<IAgentServices | null>(null);

/** Only below an `AgentContext`. */
export function useAgents(): IAgentServices {
  return React.useContext(AgentContext)!;
}

/** Who looks, and how things are. */
export function situationOf(services: {
  connection: ConnectionStore;
  workSwitch: WorkSwitchStore;
}): ISituation {
  const { connection, workSwitch } = services;
  const { mayPauseAll, mayRun, online, ownsAll, username } = connection;
  return { mayPauseAll, mayRun, online, ownsAll, paused: workSwitch.paused, username };
}

/** One agent, kept up while it is shown; null where none is named or it is not read yet. */
export function useAgent(store: AgentStore, slug: string | null): AgentDetail | null {
  React.useEffect(() => (slug === null ? undefined : store.watch(slug)), [store, slug]);
  useChanges(store.changed);
  return slug === null ? null : store.get(slug);
}
