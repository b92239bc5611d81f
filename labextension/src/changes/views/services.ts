/**
 * What the views of changes are given.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Run } from '../../api/types';
import type { ChangesStore } from '../stores/changes';

export interface IChangesServices {
  changes: ChangesStore;
  trans: TranslationBundle;
  rendermime: IRenderMimeRegistry | null;
  /** Whether this person may decide about the changes of a run now. */
  mayDecide: (run: Run) => boolean;
  /** Have the whole answer of a run read, of which only the beginning is known. */
  readWhole: (run: Run) => void;
  openDocument: (path: string) => void;
  /** Say something to a screen reader. */
  announce: (words: string) => void;
}

export const ChangesContext = React.createContext<IChangesServices | null>(null);

export function useChangesServices(): IChangesServices {
  return React.useContext(ChangesContext)!;
}
