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
  const connection = new ConnectionStore(client, events.socket);
  window.addEventListener('focus', () => {
    if (connection.isLoggedOut) {
      connection.retryNow(); // a person may have logged in again in another tab
    }
  });
  return { client, events, connection };
}
