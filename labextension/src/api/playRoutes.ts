/**
 * Requests about plays. They reject as those of the client do.
 */
import type { CabinetClient } from './client';
import type { PlayDetail, PlayLine, PlayList, Run } from './types';

/** One method for each route. */
export class PlayRoutes {
  constructor(private readonly _client: CabinetClient) {}

  plays(): Promise<PlayList> {
    return this._client.plays();
  }

  play(slug: string): Promise<PlayDetail> {
    return this._client.play(slug);
  }

  /** `fields`: of its front matter; `body`: its instruction. */
  createPlay(slug: string, fields: Record<string, unknown>, body: string): Promise<PlayDetail> {
    return this._client.ask('POST', 'plays', { slug, fields, body });
  }

  /** The whole file, or some of its fields; null removes one. Refused with 409 where the file is another by now. */
  savePlay(
    slug: string,
    change: { text: string } | { fields: Record<string, unknown> },
    etag: string
  ): Promise<PlayDetail> {
    return this._client.ask('PUT', playPath(slug), { ...change, etag });
  }

  /** Into the trash; gives its name there. */
  deletePlay(slug: string): Promise<{ name: string }> {
    return this._client.ask('DELETE', playPath(slug));
  }

  /** A new secret for signed requests, shown this once. */
  makePlaySecret(slug: string): Promise<{ secret: string }> {
    return this._client.ask('POST', playPath(slug, '/secret'), {});
  }

  /** Starts it as a signed request with this body would. */
  sendTestRequest(slug: string, body: string): Promise<Run> {
    return this._client.ask('POST', playPath(slug, '/test-request'), { body });
  }

  runPlay(slug: string, inputs: Record<string, string>): Promise<Run> {
    return this._client.ask('POST', playPath(slug, '/run'), { inputs });
  }

  /** Its last runs, newest first. */
  playHistory(slug: string): Promise<{ items: PlayLine[] }> {
    return this._client.ask('GET', playPath(slug, '/history'));
  }
}

function playPath(slug: string, rest = ''): string {
  return `plays/${encodeURIComponent(slug)}${rest}`;
}
