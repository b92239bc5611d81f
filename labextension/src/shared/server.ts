/**
 * Makes the connection to the server. Loaded when it is first needed.
 */
import type { ServerConnection } from '@jupyterlab/services';

import { CabinetClient } from '../api/client';
import { EventStream } from '../api/events';
import { ConnectionStore } from './connection';
import type { ICabinetServer } from './tokens';

/** The event stream is not open yet. */
export function makeServer(settings: ServerConnection.ISettings): ICabinetServer {
  const client = new CabinetClient(settings);
  const events = new EventStream(client);
  return { client, events, connection: new ConnectionStore(client, events.socket) };
}
