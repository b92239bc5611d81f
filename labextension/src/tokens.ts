/**
 * What Cabinet's plugins give each other: the stores of this page, made once.
 */
import { Token } from '@lumino/coreutils';

import type { CabinetClient } from './api/client';
import type { ChoiceStore } from './state/choices';
import type { ConnectionStore } from './state/connection';
import type { DraftStore } from './state/drafts';
import type { EditorStore } from './state/editor';
import type { DocumentFollower } from './state/follow';
import type { HistoryStore } from './state/history';
import type { OutputPool } from './state/outputs';
import type { RunStore } from './state/runs';
import type { RuntimeStore } from './state/runtimes';
import type { Speech } from './state/speech';

export interface ICabinet {
  readonly client: CabinetClient;
  readonly connection: ConnectionStore;
  readonly runs: RunStore;
  readonly runtimes: RuntimeStore;
  readonly choices: ChoiceStore;
  readonly drafts: DraftStore;
  readonly history: HistoryStore;
  readonly outputs: OutputPool;
  readonly editor: EditorStore;
  readonly follower: DocumentFollower;
  readonly speech: Speech;
}

export const ICabinet = new Token<ICabinet>(
  'jupyter-cabinet:ICabinet',
  'The state of Jupyter Cabinet in this page: runs, sessions, runtimes, open documents.'
);
