/**
 * The services that the tab of plans uses.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { AgentStore } from '../../agents';
import type { IApprovalServices } from '../../approvals';
import type { OutputPool, RunStore, WorkSwitchStore } from '../../runs';
import type { ChoiceStore, RuntimeStore } from '../../runtimes';
import type { ConnectionStore } from '../../shared/connection';
import { useChanges } from '../../shared/views/hooks';
import type { PlansStore } from '../stores/planList';

/** Made for each tab. */
export interface IPlanServices {
  connection: ConnectionStore;
  /** Disposed of with the tab. */
  plans: PlansStore;
  agents: AgentStore;
  approvals: IApprovalServices;
  choices: ChoiceStore;
  outputs: OutputPool;
  rendermime: IRenderMimeRegistry | null;
  runs: RunStore;
  runtimes: RuntimeStore;
  workSwitch: WorkSwitchStore;
  trans: TranslationBundle;
  /** Says something to who listens instead of looking. */
  announce: (words: string) => void;
  run: (command: string, args?: Record<string, string>) => void;
  /** Opens a file right of the plans. Rejects, for people, where it does not exist. */
  openBeside: (path: string) => Promise<void>;
  /** Where it belongs: on the page of its agent, or else what it has written. */
  showRun: (runId: string) => Promise<void>;
}

export const PlanContext = React.createContext<IPlanServices | null>(null);

/** Only below a `PlanContext`. */
export function usePlans(): IPlanServices {
  return React.useContext(PlanContext)!;
}

export interface IWhyNot {
  /** The server's data cannot be read. */
  read: string | null;
  /** Plans cannot be created or changed. */
  change: string | null;
  /** Runs cannot be started, and steps not be changed: in a running plan, that decides what starts next. */
  start: string | null;
}

/** Why this person cannot do this now, as a sentence; null: they can. */
export function useWhyNot(): IWhyNot {
  const { connection, trans } = usePlans();
  useChanges(connection.changed);
  if (!connection.online) {
    const why = trans.__('The server cannot be reached.');
    return { read: why, change: why, start: why };
  }
  return {
    read: null,
    change: connection.mayWrite
      ? null
      : trans.__('You can view plans on this server, but not change them.'),
    start: connection.mayRun
      ? null
      : trans.__('You can view plans on this server, but not run them.')
  };
}
