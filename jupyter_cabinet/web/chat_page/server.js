/**
 * Requests to the server of the page.
 */
export const OFFLINE = 'Disconnected. Trying again.';
const LOGGED_OUT = 'You are logged out.';
const API = new URL('api/', document.baseURI);

/** The server has refused something. The message is for people. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Return the reply. Throws `Refusal`, and `TypeError` if there is no connection. */
export async function request(method, path, body) {
  const reply = await fetch(new URL(path, API), {
    method,
    cache: 'no-store',
    credentials: 'same-origin',
    headers: body ? { 'Content-Type': 'application/json', 'X-XSRFToken': cookie('_xsrf') } : {},
    body: body && JSON.stringify(body)
  });
  const json = await reply.json().catch(() => null);
  if (reply.ok && json) {
    return json;
  }
  if (reply.status === 401) {
    throw new Refusal(401, LOGGED_OUT);
  }
  if (json?.error) {
    throw new Refusal(reply.status, json.error.message);
  }
  throw new TypeError(`The server answered ${reply.status}.`); // a proxy: as if there were no connection
}

function cookie(name) {
  return document.cookie.match(new RegExp(`(?:^|; )${name}=([^;]*)`))?.[1] ?? '';
}

/** Open the stream of what changes in chats. */
export function openEvents() {
  const address = new URL('events?kinds=channel_changed,channel_message_changed', API);
  address.protocol = address.protocol.replace('http', 'ws');
  return new WebSocket(address);
}
