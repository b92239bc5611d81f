/**
 * What Cabinet's plugins give each other: the stores of this page, made once.
 */
import { Token } from '@lumino/coreutils';

import type { CabinetClient } from '../api/client';
import type { EventStream } from '../api/events';
import type { IApprovalServices } from '../approvals/views/services';
import type { ITerminalServices } from '../terminal/views/services';
import type { ChoiceStore } from '../runtimes/stores/choices';
import type { ConnectionStore } from './connection';
import type { DraftStore } from '../editor/stores/drafts';
import type { EditorStore } from '../editor/stores/editor';
import type { DocumentFollower } from '../documents/stores/follower';
import type { HistoryStore } from '../editor/stores/history';
import type { TerminalAppearance } from '../terminal/stores/appearance';
import type { OutputPool } from '../runs/stores/outputPool';
import type { RunStore } from '../runs/stores/runs';
import type { RuntimeStore } from '../runtimes/stores/runtimes';
import type { Announcer } from './announcer';

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
  readonly appearance: TerminalAppearance;
  readonly announcer: Announcer;
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
