/**
 * What all subjects need of each other: the connection to the server, and the screen reader's voice.
 */
import { Token } from '@lumino/coreutils';

import type { CabinetClient } from '../api/client';
import type { EventStream } from '../api/events';
import type { Announcer } from './announcer';
import type { ConnectionStore } from './connection';
import type { Lazy } from './lazy';

/** Cabinet’s part of the Jupyter server, as this page reaches it. */
export interface ICabinetServer {
  /** Requests. Stores call it; panels do not. */
  readonly client: CabinetClient;
  /** What happens on the server; open from when the application is restored. */
  readonly events: EventStream;
  /** Whether the server answers, and who we are there. */
  readonly connection: ConnectionStore;
}

export type IServer = Lazy<ICabinetServer>;

export const IServer = new Token<IServer>(
  'jupyter-cabinet:IServer',
  'The connection to Cabinet’s part of the server: requests and events.'
);

export type IAnnouncer = Announcer;

export const IAnnouncer = new Token<IAnnouncer>(
  'jupyter-cabinet:IAnnouncer',
  'Passes on what a screen reader shall say.'
);
