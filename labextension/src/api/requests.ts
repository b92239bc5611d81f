/**
 * Every request to the server, and the only `fetch`. Errors become `ApiError` (the server answered) or `Offline`
 * (nobody did). Called by `client.ts`.
 */
import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';
import { Signal, type ISignal } from '@lumino/signaling';

import type {
  Answer,
  Call,
  FilePath,
  JsonPath,
  Method,
  SocketPath,
  SocketQuery
} from './operations';

const API = 'cabinet/api';
/** The server does not know who asks: the login is gone or has expired. */
const NOT_LOGGED_IN = 401;
const NO_CONTENT = 204;

/** The server refused: `kind` is the error's name in the error tree, `message` is for a person. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
    readonly detail: Record<string, unknown>
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

/** No answer: the server or the network is gone. */
export class Offline extends Error {
  constructor(cause: unknown) {
    super('The server cannot be reached.', { cause });
    this.name = 'Offline';
  }
}

interface IRequestOptions {
  path?: Record<string, string | number>;
  query?: object;
  body?: unknown;
  /** The caller asks the person itself whether the folder is trusted. */
  asksItself?: boolean;
}

/** A server, and what is asked of it. */
export class Requests {
  constructor(readonly settings: ServerConnection.ISettings = ServerConnection.makeSettings()) {}

  /**
   * Asks a person whether agents may run in the server’s root folder; true if it is confirmed afterwards. Null until
   * the page can ask.
   */
  confirmFolder: (() => Promise<boolean>) | null = null;

  /**
   * Whether the server has refused our login. The only place that decides it, from each answer: a browser does not tell
   * why a WebSocket was refused.
   */
  get isLoggedOut(): boolean {
    return this._isLoggedOut;
  }

  readonly loginChanged: ISignal<this, boolean> = new Signal<this, boolean>(this);

  /** Address of a WebSocket, with the token only where JupyterLab itself adds it. */
  socketUrl(path: SocketPath, query: SocketQuery = {}): string {
    const { wsUrl, token, appendToken } = this.settings;
    const all = { ...query, token: appendToken && token ? token : undefined };
    return URLExt.join(wsUrl, API, path) + queryString(all);
  }

  /** The answer to a request. Undefined if the server answers with nothing. */
  async ask<M extends Method, Path extends JsonPath<M>>(
    method: M,
    path: Path,
    ...[options]: Call<M, Path, Pick<IRequestOptions, 'asksItself'>>
  ): Promise<Answer<M, Path>> {
    const response = await this._request(method, path, options);
    return (response.status === NO_CONTENT ? undefined : await response.json()) as Answer<M, Path>;
  }

  /** The answer to a request for a text or a file. */
  file<Path extends FilePath>(path: Path, ...[options]: Call<'GET', Path>): Promise<Response> {
    return this._request('GET', path, options);
  }

  /** A request that is refused because the folder is not trusted continues once a person trusts it. */
  private async _request(
    method: Method,
    path: string,
    options: IRequestOptions = {}
  ): Promise<Response> {
    try {
      return await this._send(method, path, options);
    } catch (reason) {
      const isUntrusted = reason instanceof ApiError && reason.kind === 'not_trusted';
      if (!isUntrusted || options.asksItself || !(await this.confirmFolder?.())) {
        throw reason;
      }
      return this._send(method, path, options);
    }
  }

  private async _send(method: Method, path: string, options: IRequestOptions): Promise<Response> {
    const address = URLExt.join(this.settings.baseUrl, API, filled(path, options.path));
    const url = address + queryString(options.query ?? {});
    const init: RequestInit = { method };
    if (options.body) {
      init.body = JSON.stringify(options.body);
      init.headers = { 'Content-Type': 'application/json' };
    }
    let response: Response;
    try {
      response = await ServerConnection.makeRequest(url, init, this.settings);
    } catch (reason) {
      throw new Offline(reason);
    }
    this._noteLogin(response);
    if (!response.ok) {
      const error = await errorOf(response);
      if (error.kind === 'not_allowed' && method !== 'GET') {
        // A lost login takes the cookie against forged requests with it, and the server looks for that one first.
        void this._send('GET', 'health', {}).catch(() => undefined);
      }
      throw error;
    }
    return response;
  }

  private _noteLogin({ ok, status }: Response): void {
    const isLoggedOut = status === NOT_LOGGED_IN || (this._isLoggedOut && !ok);
    if (isLoggedOut !== this._isLoggedOut) {
      this._isLoggedOut = isLoggedOut;
      (this.loginChanged as Signal<this, boolean>).emit(isLoggedOut);
    }
  }

  private _isLoggedOut = false;
}

/** A path template with its parameters. Only `{path}`, which is the path of a file, keeps its slashes. */
function filled(template: string, parameters: IRequestOptions['path'] = {}): string {
  return template.replace(/{(\w+)}/g, (_, name: string) => {
    const value = encodeURIComponent(parameters[name]);
    return name === 'path' ? value.replace(/%2F/g, '/') : value;
  });
}

function queryString(query: object): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (value !== undefined && value !== '') {
      parts.set(name, String(value));
    }
  }
  const text = parts.toString();
  return text ? `?${text}` : '';
}

/** Jupyter's own errors (a lost login, a proxy's page) do not have our shape. */
async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as {
      error: {
        kind: string;
        message: string;
        detail?: Record<string, unknown>;
      };
    };
    return new ApiError(response.status, error.kind, error.message, error.detail ?? {});
  } catch {
    return new ApiError(response.status, 'unknown', response.statusText || text.slice(0, 200), {});
  }
}
