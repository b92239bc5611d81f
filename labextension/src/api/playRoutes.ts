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
    return this._client.ask('POST', 'plays', { body: { slug, fields, body } });
  }

  /** The whole file, or some of its fields; null removes one. Refused with 409 where the file is another by now. */
  savePlay(
    slug: string,
    change: { text: string } | { fields: Record<string, unknown> },
    etag: string
  ): Promise<PlayDetail> {
    return this._client.ask('PUT', 'plays/{name}', {
      path: { name: slug },
      body: { ...change, etag }
    });
  }

  /** Into the trash; gives its name there. */
  deletePlay(slug: string): Promise<{ name: string }> {
    return this._client.ask('DELETE', 'plays/{name}', { path: { name: slug } });
  }

  /** A new secret for signed requests, shown this once. */
  makePlaySecret(slug: string): Promise<{ secret: string }> {
    return this._client.ask('POST', 'plays/{name}/secret', { path: { name: slug } });
  }

  /** Starts it as a signed request with this body would. */
  sendTestRequest(slug: string, body: string): Promise<Run> {
    return this._client.ask('POST', 'plays/{name}/test-request', {
      path: { name: slug },
      body: { body }
    });
  }

  runPlay(slug: string, inputs: Record<string, string>): Promise<Run> {
    return this._client.ask('POST', 'plays/{name}/run', { path: { name: slug }, body: { inputs } });
  }

  /** Its last runs, newest first. */
  playHistory(slug: string): Promise<{ items: PlayLine[] }> {
    return this._client.ask('GET', 'plays/{name}/history', { path: { name: slug } });
  }
}
