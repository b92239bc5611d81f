/**
 * What the views of changes are given.
 */
import type { Extension } from '@codemirror/state';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Run } from '../../api/types';
import type { ConnectionStore } from '../../shared/connection';
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
  /** Open the review of a run in a tab; null where one looks at it already. */
  openReview: ((run: Run) => void) | null;
  /** Say something to a screen reader. */
  announce: (words: string) => void;
}

export const ChangesContext = React.createContext<IChangesServices | null>(null);

export function useChangesServices(): IChangesServices {
  return React.useContext(ChangesContext)!;
}

/** What the review is given besides. */
export interface IReviewServices extends IChangesServices {
  connection: ConnectionStore;
  openRun: (run: Run) => void;
  /** Give the next instruction of the run’s session. False: its document was not saved. Rejects if it was refused. */
  instruct: (run: Run, instruction: string) => Promise<boolean>;
  /** How code is coloured: by the name of its language, else by the file’s name. */
  language: (name: string, path: string) => Promise<Extension>;
}

export const ReviewContext = React.createContext<IReviewServices | null>(null);

export function useReviewServices(): IReviewServices {
  return React.useContext(ReviewContext)!;
}
