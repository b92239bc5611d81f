/**
 * All plays of the server, as they are read, changed and started. All requests to the server go through here; a
 * refusal rejects, and the view says it beside what was asked.
 */
import type { CabinetClient } from '../../../api/client';
import type { EventStream } from '../../../api/events';
import { PlayRoutes } from '../../../api/playRoutes';
import type { CabinetEvent, PlayDetail, PlayLine, PlayList, Run } from '../../../api/types';
import type { RunStore } from '../../../runs';
import { EditedText } from '../editedText';
import { Resource } from '../../../shared/resource';

/** One play, with what came of its last runs. */
export interface IPlay {
  play: PlayDetail;
  history: PlayLine[];
}

export class Playbook {
  constructor(
    client: CabinetClient,
    private readonly _events: EventStream,
    private readonly _runs: RunStore
  ) {
    this._routes = new PlayRoutes(client);
    this.baseUrl = client.settings.baseUrl;
  }

  /** Of the server, for those who call it from outside. */
  readonly baseUrl: string;

  list(): Resource<PlayList> {
    return new Resource(() => this._routes.plays(), this._events, concernsPlays);
  }

  one(slug: string): Resource<IPlay> {
    return new Resource(
      async () => {
        const [play, { items: history }] = await Promise.all([
          this._routes.play(slug),
          this._routes.playHistory(slug)
        ]);
        return { play, history };
      },
      this._events,
      event => concernsPlays(event) && (!('play' in event) || event.play === slug)
    );
  }

  play(slug: string): Promise<PlayDetail> {
    return this._routes.play(slug);
  }

  /** The whole file, to be edited. */
  text(slug: string): EditedText {
    return new EditedText({
      read: () => this._routes.play(slug),
      write: (text, etag) => this._routes.savePlay(slug, { text }, etag)
    });
  }

  create(slug: string, fields: Record<string, unknown>, body: string): Promise<PlayDetail> {
    return this._routes.createPlay(slug, fields, body);
  }

  /** Change fields of the file as it was read under this etag. Comments and other fields stay. */
  saveFields(slug: string, fields: Record<string, unknown>, etag: string): Promise<PlayDetail> {
    return this._routes.savePlay(slug, { fields }, etag);
  }

  async remove(slug: string): Promise<void> {
    await this._routes.deletePlay(slug);
  }

  async makeSecret(slug: string): Promise<string> {
    return (await this._routes.makePlaySecret(slug)).secret;
  }

  /** As a signed request from outside would start it. */
  async sendTestRequest(slug: string, body: string): Promise<Run> {
    return this._runs.put(await this._routes.sendTestRequest(slug, body));
  }

  async run(slug: string, inputs: Record<string, string>): Promise<Run> {
    return this._runs.put(await this._routes.runPlay(slug, inputs));
  }

  private readonly _routes: PlayRoutes;
}

/** Those of agents may change whether a play can be started. */
const OF_PLAYS: ReadonlySet<string> = new Set<CabinetEvent['type']>([
  'play_changed',
  'play_removed',
  'play_not_started',
  'agent_changed',
  'agent_paused',
  'agent_resumed',
  'agent_removed'
]);

/** A play is another by now, or a run of one is. */
export function concernsPlays(event: CabinetEvent): boolean {
  return OF_PLAYS.has(event.type) || ('run' in event && event.run.kind === 'play');
}
