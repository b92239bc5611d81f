/**
 * What Cabinet's plugins give each other: the stores of this page, made once.
 */
import { Token } from '@lumino/coreutils';

import type { CabinetClient } from './api/client';
import type { EventStream } from './api/events';
import type { IApprovalServices } from './panels/approvals/services';
import type { ITerminalServices } from './panels/terminal/services';
import type { ChoiceStore } from './state/choices';
import type { ConnectionStore } from './state/connection';
import type { DraftStore } from './state/drafts';
import type { EditorStore } from './state/editor';
import type { DocumentFollower } from './state/follow';
import type { HistoryStore } from './state/history';
import type { Look } from './state/look';
import type { OutputPool } from './state/outputs';
import type { RunStore } from './state/runs';
import type { RuntimeStore } from './state/runtimes';
import type { Speech } from './state/speech';

export interface ICabinet {
  readonly client: CabinetClient;
  readonly events: EventStream;
  readonly connection: ConnectionStore;
  readonly runs: RunStore;
  readonly runtimes: RuntimeStore;
  readonly choices: ChoiceStore;
  readonly drafts: DraftStore;
  readonly history: HistoryStore;
  /** What runs say. Loaded when it is first asked for. */
  readonly outputs: () => Promise<OutputPool>;
  readonly editor: EditorStore;
  readonly follower: DocumentFollower;
  readonly look: Look;
  readonly speech: Speech;
}

export const ICabinet = new Token<ICabinet>(
  'jupyter-cabinet:ICabinet',
  'The state of Jupyter Cabinet in this page: runs, sessions, runtimes, open documents.'
);

/** Loaded when it is first asked for. */
export type ITerminals = () => Promise<ITerminalServices>;

export const ITerminals = new Token<ITerminals>(
  'jupyter-cabinet:ITerminals',
  'What the terminals of this page are shown with: people’s faces, keys, menus.'
);

/** Loaded when it is first asked for. */
export type IApprovals = () => Promise<IApprovalServices>;

export const IApprovals = new Token<IApprovals>(
  'jupyter-cabinet:IApprovals',
  'The questions of agents that wait for a person, and what they are shown with.'
);
