/**
 * The AI editor: which document, which of its sessions, which run of it, and what a person can do there.
 * It asks `IDocuments` before a run, so that the agent finds on disk what the person sees.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { Attachment, Mention, NewRun, Run, SessionDetail, Size } from '../../api/types';
import type { ChoiceStore } from '../../runtimes';
import { DraftStore } from './drafts';
import { HistoryStore, sessionToResume } from './history';
import { noticeOf, type Notice } from './notices';
import { movedKeys, movedPath } from '../../shared/paths';
import { isFinal, type RunStore } from '../../runs';
import { Store } from '../../shared/store';

/** What the editor needs of the open documents. */
export interface IDocuments {
  /** Save what is unsaved, after asking. False: the person does not want to run after all. */
  prepare(path: string): Promise<boolean>;
}

interface IPlace {
  view: 'history' | 'session';
  sessionId: string | null;
}

export interface IEditorPorts {
  client: CabinetClient;
  events: EventStream;
  runs: RunStore;
  choices: ChoiceStore;
  documents: IDocuments;
  /** Whose runs are this person's own; null until it is known. */
  username: () => string | null;
}

export class EditorStore extends Store {
  constructor(private readonly _ports: IEditorPorts) {
    super();
    this.history = new HistoryStore(_ports.client);
    _ports.runs.updated.connect(this._onRun, this);
    _ports.runs.sessionClosed.connect(this._onSessionClosed, this);
    _ports.events.onMissed(() => void this.reload().catch(() => undefined));
  }

  /** Past and open sessions. */
  readonly history: HistoryStore;
  /** What is written and not sent yet. */
  readonly drafts = new DraftStore();

  /** The current document, relative to the server's folder; null without one. */
  path: string | null = null;
  view: 'history' | 'session' = 'history';
  detail: SessionDetail | null = null;
  /** The next instruction begins a session of its own. */
  fresh = false;
  submitting = false;
  /** It is on its way: nothing is asked of the person any more. */
  sending = false;
  notice: Notice | null = null;
  /** Size of the terminal's place in the panel, for a CLI that is about to open. */
  paneSize: Size | null = null;

  get runs(): Run[] {
    return this.detail?.runs ?? [];
  }

  /** The run that is shown: the newest one, or the one somebody went back to. */
  get run(): Run | null {
    const { runs } = this;
    return runs.find(run => run.id === this._selected) ?? runs[runs.length - 1] ?? null;
  }

  /** Position of the shown run among the session's, from 0. */
  get index(): number {
    return this.run ? this.runs.indexOf(this.run) : -1;
  }

  get activeRun(): Run | null {
    return this.runs.find(run => !isFinal(run)) ?? null;
  }

  /** A run of another document that goes on there. */
  get elsewhere(): Run | null {
    return (
      this._ports.runs.active.find(
        run => run.kind === 'editor' && run.path !== null && run.path !== this.path
      ) ?? null
    );
  }

  get terminalId(): string | null {
    return this.detail?.session.terminal_id ?? null;
  }

  /** What is shown is about another document: an instruction is not for it. */
  get isForeign(): boolean {
    return this.detail !== null && this.detail.session.path !== this.path;
  }

  get instructions(): string[] {
    return this.runs.map(run => run.instruction);
  }

  async setDocument(path: string | null): Promise<void> {
    if (path === this.path) {
      return;
    }
    this.path = path;
    this.notice = null;
    this._leaveSession();
    await this.history.show({ path, scope: 'document', query: '' });
    if (this.path !== path || this.detail || this.fresh) {
      return; // something else was asked for meanwhile
    }
    const place = this._places.get(path ?? '');
    const sessionId = place ? place.sessionId : sessionToResume(this.history.items ?? [], path);
    if (sessionId && place?.view !== 'history') {
      await this.open(sessionId);
    }
  }

  /** A document or a folder has another path: what is shown and written for it goes along. */
  async moved(old: string, next: string): Promise<void> {
    this.drafts.moved(old, next);
    this._places = movedKeys(this._places, old, next);
    if (this.detail) {
      const { session } = this.detail;
      const path = movedPath(session.path, old, next);
      this.detail = { ...this.detail, session: { ...session, path } };
    }
    if (this.path !== null && movedPath(this.path, old, next) !== this.path) {
      this.path = movedPath(this.path, old, next);
      this.tell();
      await this.history.show({ path: this.path });
    }
  }

  showHistory(): void {
    this.view = 'history';
    this.fresh = false;
    this.notice = null;
    this._remember();
    this.tell();
    void this.history.load();
  }

  /** The next instruction begins anew; what runs goes on. */
  startFresh(): void {
    this._leaveSession();
    this.fresh = true;
    this.notice = null;
    this._remember();
    this.tell();
  }

  async open(sessionId: string): Promise<void> {
    const { path } = this;
    await this._guard(async () => this._show(await this._ports.client.session(sessionId), path));
  }

  select(index: number): void {
    this._selected = this.runs[index]?.id ?? null;
    this.tell();
  }

  /** True when the instruction was accepted. */
  async submit(instruction: string, attachments: Attachment[]): Promise<boolean> {
    const { path } = this;
    if (this.submitting || path === null) {
      return false;
    }
    let accepted = false;
    this.submitting = true;
    this.notice = null;
    this.tell();
    await this._guard(
      async () => {
        if (await this._ports.documents.prepare(path)) {
          this.sending = true;
          this.tell();
          const run = await this._submit(path, instruction, attachments);
          accepted = true;
          this.drafts.clear(path);
          this._select(run);
        }
      },
      async () => void (await this.submit(instruction, attachments))
    );
    this.submitting = false;
    this.sending = false;
    this.tell();
    return accepted;
  }

  async runAgain(): Promise<void> {
    const { run } = this;
    if (run) {
      await this.submit(run.instruction, []);
    }
  }

  async stop(): Promise<void> {
    const { activeRun } = this;
    if (activeRun) {
      await this._guard(async () => void (await this._ports.runs.cancel(activeRun.id)));
    }
  }

  async closeSession(): Promise<void> {
    const { path } = this;
    const id = this.detail?.session.id;
    if (id) {
      await this._guard(async () => this._show(await this._ports.client.closeSession(id), path));
    }
  }

  /** Confirm the folder as it was shown, then do what was refused. */
  async confirmTrust(): Promise<void> {
    const { notice } = this;
    if (notice?.kind !== 'trust') {
      return;
    }
    await this._guard(async () => {
      await this._ports.client.confirmTrust(notice.trust.hash);
      this.notice = null;
      await notice.again();
    });
  }

  dismissNotice(): void {
    this.notice = null;
    this.tell();
  }

  /** Files of the server's folder that a mention may mean, best first. */
  async findFiles(query: string): Promise<Mention[]> {
    return (await this._ports.client.mentions(query)).items;
  }

  /** After a break: read again what is shown. */
  async reload(): Promise<void> {
    const id = this.detail?.session.id;
    await this.history.load();
    if (id && this.view === 'session') {
      await this.open(id);
    }
  }

  private async _submit(
    path: string,
    instruction: string,
    attachments: Attachment[]
  ): Promise<Run> {
    const { choices, runs } = this._ports;
    const session = await this._sessionFor(path, choices.runtime);
    const body: NewRun = {
      kind: 'editor',
      instruction,
      session_id: session,
      path,
      attachments
    };
    if (choices.runtime) {
      body.runtime = choices.runtime;
    }
    if (choices.model) {
      body.model = choices.model;
    }
    if (choices.permissionMode) {
      body.permission_mode = choices.permissionMode;
    }
    if (choices.headless) {
      return runs.submit({ ...body, mode: 'headless' });
    }
    return runs.submit({ ...body, ...this.paneSize });
  }

  /** The shown session, else the document's open one; a new one where the CLI is another. */
  private async _sessionFor(path: string, runtime: string | null): Promise<string> {
    const shown = this.view === 'session' && !this.isForeign ? this.detail : null;
    if (shown && (runtime === null || shown.session.runtime === runtime)) {
      return shown.session.id;
    }
    const { client } = this._ports;
    const wanted = { path, ...(runtime ? { runtime } : {}) };
    const anew = this.fresh || shown !== null;
    let detail = await client.openSession(anew ? { ...wanted, new: true } : wanted);
    if (runtime && detail.session.runtime !== runtime) {
      detail = await client.openSession({ ...wanted, new: true });
    }
    this._show(detail, path);
    return detail.session.id;
  }

  /** `path`: the document for which it was asked for. Where that is left, its session must not follow. */
  private _show(detail: SessionDetail, path: string | null): void {
    if (path !== this.path) {
      return;
    }
    const same = this.detail?.session.id === detail.session.id;
    this.detail = detail;
    this._selected = same ? this._selected : null;
    this.view = 'session';
    this.fresh = false;
    this._remember();
    detail.runs.forEach(run => this._ports.runs.put(run));
    this.tell();
  }

  private _select(run: Run): void {
    this._onRun(this._ports.runs, this._ports.runs.get(run.id) ?? run);
    if (this.detail?.session.id === run.session_id) {
      this._selected = run.id;
      this.view = 'session';
    }
    void this.history.load();
    this.tell();
  }

  private _leaveSession(): void {
    this.detail = null;
    this._selected = null;
    this.view = 'history';
    this.fresh = false;
    this.tell();
  }

  /** What a person went to, not what stood here before anything was read. */
  private _remember(): void {
    const sessionId = this.detail?.session.id ?? null;
    this._places.set(this.path ?? '', { view: this.view, sessionId });
  }

  /** A run of this person began on another page: where nothing was chosen here, it is shown here too. */
  private _follow(run: Run): void {
    const { path, fresh, submitting } = this;
    const isFree = !this.detail && !fresh && !submitting && !this._places.has(path ?? '');
    const isMine = run.owner === this._ports.username() && run.path === path;
    if (isFree && isMine && run.kind === 'editor' && !isFinal(run) && path !== null) {
      if (!this.drafts.get(path).text) {
        void this.open(run.session_id);
      }
    }
  }

  private _onRun(_: RunStore, run: Run): void {
    this.history.update(run);
    this._follow(run);
    const { detail } = this;
    if (!detail || detail.session.id !== run.session_id) {
      return;
    }
    const known = detail.runs.some(other => other.id === run.id);
    if (!known) {
      this._selected = null; // a new instruction, perhaps typed into the CLI: show it
    }
    const runs = known
      ? detail.runs.map(other => (other.id === run.id ? run : other))
      : [...detail.runs, run];
    const terminal_id = isFinal(run)
      ? detail.session.terminal_id
      : (run.terminal_id ?? detail.session.terminal_id);
    this.detail = { session: { ...detail.session, terminal_id }, runs };
    this.tell();
  }

  private _onSessionClosed(_: RunStore, sessionId: string): void {
    if (this.detail?.session.id === sessionId) {
      const session = { ...this.detail.session, terminal_id: null };
      this.detail = { ...this.detail, session };
      this.tell();
    }
  }

  /** Do it; a refusal becomes a notice in the panel. */
  private async _guard(action: () => Promise<void>, again?: () => Promise<void>): Promise<void> {
    const { path } = this;
    try {
      await action();
    } catch (reason) {
      const notice = await noticeOf(reason, this._ports.client, again);
      if (this.path === path) {
        this.notice = notice; // else it is about a document that was left, whose draft is kept
        this.tell();
      }
    }
  }

  private _places = new Map<string, IPlace>();
  private _selected: string | null = null;
}
