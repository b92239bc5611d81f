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
    return this._client.ask('GET', 'sessions', { query });
  }

  session(id: string): Promise<CliSession> {
    return this._client.ask('GET', 'sessions/{id}', { path: { id } });
  }

  timeline(id: string, query: TimelineQuery): Promise<Timeline> {
    return this._client.ask('GET', 'sessions/{id}/timeline', { path: { id }, query });
  }

  matches(id: string, query: TimelineMatchesQuery): Promise<TimelineMatches> {
    return this._client.ask('GET', 'sessions/{id}/matches', { path: { id }, query });
  }

  /** The entries with a bookmark or a note. */
  async marked(id: string, query: { branch?: string }): Promise<MarkedEntry[]> {
    return (await this._client.ask('GET', 'sessions/{id}/entries', { path: { id }, query })).items;
  }

  markEntry(id: string, patch: EntryPatch): Promise<EntryMark> {
    return this._client.ask('PATCH', 'sessions/{id}/entries', { path: { id }, body: patch });
  }

  mark(id: string, patch: SessionPatch): Promise<SessionMarks> {
    return this._client.ask('PATCH', 'sessions/{id}', { path: { id }, body: patch });
  }

  /** The runs of this server in the session, newest first. */
  async runs(id: string): Promise<Run[]> {
    return (await this._client.ask('GET', 'sessions/{id}/runs', { path: { id } })).items;
  }

  /** Start a run that suggests what to ask next. */
  suggestNext(id: string): Promise<Run> {
    return this._client.ask('POST', 'sessions/{id}/next-prompts', { path: { id } });
  }

  nextPrompts(id: string, run: string): Promise<NextPrompts> {
    return this._client.ask('GET', 'sessions/{id}/next-prompts', { path: { id }, query: { run } });
  }

  async stop(run: string): Promise<void> {
    await this._client.cancel(run);
  }

  continue(id: string, body: ContinueSession): Promise<Run> {
    return this._client.ask('POST', 'sessions/{id}/continue', { path: { id }, body });
  }

  async export(id: string, query: { format: ExportFormat; branch?: string }): Promise<Blob> {
    const options = { path: { id }, query };
    return (await this._client.file('sessions/{id}/export', options)).blob();
  }

  async usage(query: { since?: string; project?: string }): Promise<UsageRow[]> {
    return (await this._client.ask('GET', 'usage', { query })).items;
  }
}
