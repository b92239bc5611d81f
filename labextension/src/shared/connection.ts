/**
 * Whether the server answers, who we are there, and since when what is shown is old.
 * Fed by the event stream's socket; asks for `health` at each connection, and at each loss of it: a browser does not
 * tell why the server has refused a WebSocket.
 */
import type { ReconnectingSocket, SocketStatus } from '../api/reconnectingSocket';
import { ApiError, type CabinetClient } from '../api/client';
import type { Health } from '../api/types';
import { Store } from './store';

/** `connecting` only until the first answer; after that one is online or offline. */
export type Connection = 'connecting' | 'online' | 'offline';

/** `changed` fires for each step of the connection, and for a new answer of `health`. */
export class ConnectionStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    private readonly _socket: ReconnectingSocket
  ) {
    super();
    _socket.statusChanged.connect(this._onStatus, this);
    _client.loginChanged.connect(this._onLogin, this);
  }

  /** Null until the server has answered once. */
  health: Health | null = null;
  status: Connection = 'connecting';
  /** When we last heard from the server, once it is gone. */
  lastSeen: Date | null = null;
  /** The server's own reason, where it answers but has no Cabinet, cannot start it, or refuses us. */
  problem: string | null = null;

  get mayRun(): boolean {
    return this.health?.you.may_run ?? false;
  }

  /** Whether we may create plans. */
  get mayWrite(): boolean {
    return this.health?.you.may_write ?? false;
  }

  /** Whether we may create and change skills and tool servers. */
  get mayChangeAgents(): boolean {
    return this.health?.you.may_change_agents ?? false;
  }

  /** Whether we may create and change channels. */
  get mayUseChannels(): boolean {
    return this.health?.you.may_use_channels ?? false;
  }

  /** Whether the server knows that a person asks, and no program. */
  get inBrowser(): boolean {
    return this.health?.you.in_browser ?? false;
  }

  /** Whether we have an owner's rights over everything. */
  get ownsAll(): boolean {
    return this.health?.you.owns_all ?? false;
  }

  /** Whether we may pause and resume all work. */
  get mayPauseAll(): boolean {
    return this.health?.you.may_pause_all ?? false;
  }

  /** Who we are on the server; null until it is known. */
  get username(): string | null {
    return this.health?.you.username ?? null;
  }

  /** Call with who we are as soon as that is known, and whenever it changes. The returned function ends this. */
  followUsername(call: (username: string) => void): () => void {
    let known: string | null = null;
    const update = () => {
      const { username } = this;
      if (username !== null && username !== known) {
        known = username;
        call(username);
      }
    };
    this.changed.connect(update);
    update();
    return () => this.changed.disconnect(update);
  }

  /** Whether the server answers, but does not know who we are. The status is `offline` then. */
  get isLoggedOut(): boolean {
    return this._client.isLoggedOut;
  }

  get online(): boolean {
    return this.status === 'online';
  }

  async load(): Promise<void> {
    try {
      this.health = await this._client.health();
      this.problem = null;
    } catch (reason) {
      this.problem = reason instanceof ApiError ? reason.message : null;
    }
    this.tell();
  }

  retryNow(): void {
    if (this.isLoggedOut) {
      void this.load(); // if it succeeds, the socket follows
    } else {
      this._socket.retryNow();
    }
  }

  /** The event stream may stay open after a logout, but nothing that is asked for is answered. */
  private _onLogin(_: CabinetClient, isLoggedOut: boolean): void {
    if (isLoggedOut) {
      this.lastSeen ??= new Date();
      this.status = 'offline';
    } else if (this._socket.status === 'open') {
      this.lastSeen = null;
      this.status = 'online';
    } else {
      this._socket.retryNow();
    }
    this.tell();
  }

  private _onStatus(_: ReconnectingSocket, status: SocketStatus): void {
    if (status === 'open') {
      this.status = 'online';
      this.lastSeen = null;
      void this.load();
    } else if (status === 'lost') {
      this.lastSeen ??= new Date();
      this.status = 'offline';
      void this.load();
    }
    this.tell();
  }
}
