/**
 * Requests about the sessions that agent CLIs keep on disk. They reject as those of the client do.
 */
import type { CabinetClient } from './client';
import type {
  CliSession,
  CliSessionPage,
  CliSessionQuery,
  ContinueSession,
  EntryMark,
  EntryPatch,
  MarkedEntry,
  NextPrompts,
  ProjectList,
  Run,
  SessionMarks,
  SessionPatch,
  Timeline,
  TimelineMatches,
  TimelineMatchesQuery,
  TimelineQuery,
  UsageRow
} from './types';

export type ExportFormat = 'md' | 'ipynb' | 'json';

/** One method for each route. */
export class PastSessionRoutes {
  constructor(private readonly _client: CabinetClient) {}

  projects(): Promise<ProjectList> {
    return this._client.ask('GET', 'projects');
  }

  sessions(query: CliSessionQuery): Promise<CliSessionPage> {
    return this._client.ask('GET', `sessions${text(query)}`);
  }

  session(id: string): Promise<CliSession> {
    return this._client.ask('GET', pathOf(id));
  }

  timeline(id: string, query: TimelineQuery): Promise<Timeline> {
    return this._client.ask('GET', pathOf(id, `/timeline${text(query)}`));
  }

  matches(id: string, query: TimelineMatchesQuery): Promise<TimelineMatches> {
    return this._client.ask('GET', pathOf(id, `/matches${text(query)}`));
  }

  /** The entries with a bookmark or a note. */
  async marked(id: string, query: { branch?: string }): Promise<MarkedEntry[]> {
    const address = pathOf(id, `/entries${text(query)}`);
    const { items } = await this._client.ask<{ items: MarkedEntry[] }>('GET', address);
    return items;
  }

  markEntry(id: string, patch: EntryPatch): Promise<EntryMark> {
    return this._client.ask('PATCH', pathOf(id, '/entries'), patch);
  }

  mark(id: string, patch: SessionPatch): Promise<SessionMarks> {
    return this._client.ask('PATCH', pathOf(id), patch);
  }

  /** The runs of this server in the session, newest first. */
  async runs(id: string): Promise<Run[]> {
    const { items } = await this._client.ask<{ items: Run[] }>('GET', pathOf(id, '/runs'));
    return items;
  }

  /** Start a run that suggests what to ask next. */
  suggestNext(id: string): Promise<Run> {
    return this._client.ask('POST', pathOf(id, '/next-prompts'), {});
  }

  nextPrompts(id: string, run: string): Promise<NextPrompts> {
    return this._client.ask('GET', pathOf(id, `/next-prompts${text({ run })}`));
  }

  async stop(run: string): Promise<void> {
    await this._client.cancel(run);
  }

  continue(id: string, body: ContinueSession): Promise<Run> {
    return this._client.ask('POST', pathOf(id, '/continue'), body);
  }

  export(id: string, format: ExportFormat): Promise<Blob> {
    return this._client.file(pathOf(id, `/export${text({ format })}`));
  }

  async usage(query: { since?: string; project?: string }): Promise<UsageRow[]> {
    const { items } = await this._client.ask<{ items: UsageRow[] }>('GET', `usage${text(query)}`);
    return items;
  }
}

function pathOf(id: string, rest = ''): string {
  return `sessions/${encodeURIComponent(id)}${rest}`;
}

function text(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const words = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return words && `?${words}`;
}
