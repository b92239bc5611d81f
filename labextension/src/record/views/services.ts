/**
 * What the record's tab is given.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Run } from '../../api/types';
import type { ConnectionStore } from '../../shared/connection';
import type { RecordStore } from '../stores/record';

/** Made for each tab, by its command. */
export interface IRecordServices {
  connection: ConnectionStore;
  /** Disposed of with the tab. */
  record: RecordStore;
  trans: TranslationBundle;
  /** Says something to who listens instead of looking. */
  announce: (words: string) => void;
  openDocument: (path: string) => void;
  review: (run: Run) => void;
  showRun: (run: Run) => void;
}

export const RecordContext = React.createContext<IRecordServices | null>(null);

/** Only below a `RecordContext`. */
export function useRecord(): IRecordServices {
  return React.useContext(RecordContext)!;
}
