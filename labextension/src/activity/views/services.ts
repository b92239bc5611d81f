/**
 * The services that the activity tab uses.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { IApprovalServices } from '../../approvals';
import type { Run } from '../../api/types';
import type { OutputPool } from '../../runs';
import type { ConnectionStore } from '../../shared/connection';
import { useChanges } from '../../shared/views/hooks';
import type { NewRunStore } from '../stores/newRun';
import type { ActivityStore } from '../stores/activityList';

/** Made for each tab, by its command. */
export interface IActivityServices {
  connection: ConnectionStore;
  /** Disposed of with the tab. */
  activity: ActivityStore;
  /** Of the page: what is written stays where the tab is closed. */
  newRun: NewRunStore;
  outputs: OutputPool;
  rendermime: IRenderMimeRegistry | null;
  approvals: IApprovalServices;
  trans: TranslationBundle;
  /** Says something to who listens instead of looking. */
  announce: (words: string) => void;
  openDocument: (path: string) => void;
  review: (run: Run) => void;
  openTerminal: (id: string) => void;
  /** Of a run with a document or an agent. */
  showRun: (run: Run) => void;
  showSandbox: (run: Run) => void;
  /** All that its CLI wrote. */
  showOutput: (runId: string) => Promise<void>;
  /** Opens the dialog for a new run. */
  askForRun: () => void;
}

export const ActivityContext = React.createContext<IActivityServices | null>(null);

/** Only below a `ActivityContext`. */
export function useActivity(): IActivityServices {
  return React.useContext(ActivityContext)!;
}

/** Why this person cannot ask for a run now; null: they can. */
export function useWhyNotRun(): string | null {
  const { connection, trans } = useActivity();
  useChanges(connection.changed);
  if (!connection.online) {
    return trans.__('The server cannot be reached.');
  }
  return connection.mayRun
    ? null
    : trans.__('You can view agents on this server, but not run them.');
}
