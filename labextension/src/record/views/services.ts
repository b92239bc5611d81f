/**
 * What the record's tab is given.
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
import type { RecordStore } from '../stores/record';

/** Made for each tab, by its command. */
export interface IRecordServices {
  connection: ConnectionStore;
  /** Disposed of with the tab. */
  record: RecordStore;
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
  /** All that its CLI wrote. */
  showOutput: (runId: string) => Promise<void>;
  /** Opens the dialog for a new run. */
  askForRun: () => void;
}

export const RecordContext = React.createContext<IRecordServices | null>(null);

/** Only below a `RecordContext`. */
export function useRecord(): IRecordServices {
  return React.useContext(RecordContext)!;
}

/** Why this person cannot ask for a run now; null: they can. */
export function useWhyNotRun(): string | null {
  const { connection, trans } = useRecord();
  useChanges(connection.changed);
  if (!connection.online) {
    return trans.__('The server cannot be reached.');
  }
  return connection.mayRun
    ? null
    : trans.__('You can view agents on this server, but not run them.');
}
