/**
 * The AI editor: which document, which of its sessions, which run of it, and what a person can do there.
 * It asks `IDocuments` before a run, so that the agent finds on disk what the person sees.
 */
import type { Attachment, Mention, Run, SessionDetail, Size } from '../../api/types';
import { DraftStore } from './drafts';
import { agentOf, documentOf, movedSession } from './document';
import { HistoryStore, sessionToResume } from './history';
import { noticeOf, type Notice } from './notices';
import { movedKeys, movedPath } from '../../shared/paths';
import { isFinal, isOwn, type RunStore } from '../../runs';
import { ShownSession } from './shownSession';
import { choicesIn, newRun, openSessionFor } from './submission';
import { WaitingInstructions } from './waitingInstructions';
import { IEditorPorts } from './ports';

interface IPlace {
  view: 'history' | 'session';
  sessionId: string | null;
}

/** What fails becomes a `notice` that is shown, not a rejection, but for what is asked for by name. */
export class EditorStore extends ShownSession {
  constructor(private readonly _ports: IEditorPorts) {
    super();
    this.history = new HistoryStore(_ports.client);
    this.waiting = new WaitingInstructions(_ports.runs, this.drafts, action => this._guard(action));
    _ports.runs.updated.connect(this._onRun, this);
    _ports.runs.sessionClosed.connect((_, id) => this.closeTerminal(id));
    _ports.events.onMissed(() => void this.reload().catch(() => undefined));
  }

  /** Past and open sessions. */
  readonly history: HistoryStore;
  /** What is written and not sent yet. */
  readonly drafts = new DraftStore();
  /** What is done with instructions that wait. */
  readonly waiting: WaitingInstructions;

  /** The current document, relative to the server's root folder; null without one. */
  path: string | null = null;
  view: 'history' | 'session' = 'history';
  /** The next instruction begins a new session. */
  fresh = false;
  submitting = false;
  /** It is on its way: nothing is asked of the person any more. */
  sending = false;
  notice: Notice | null = null;
  /** Size of the terminal's place in the panel, for a CLI that is about to open. */
  paneSize: Size | null = null;

  /** A run of another document that continues there. */
  get elsewhere(): Run | null {
    return (
      this._ports.runs.active.find(
        run => run.kind === 'editor' && run.path !== null && run.path !== this.path
      ) ?? null
    );
  }

  /** What is shown is about another document: an instruction is not for it. */
  get isForeign(): boolean {
    return this.detail !== null && documentOf(this.detail.session) !== this.path;
  }

  /** The next instruction waits until the active one has ended: both are for the same session. */
  get willQueue(): boolean {
    return this.activeRun !== null && !this.isForeign && this._isFor(this._ports.choices.runtime);
  }

  /** Whether it is this person's own. */
  isMine(run: Run): boolean {
    return isOwn(run, this._ports.username());
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
      this.detail = { ...this.detail, session: movedSession(session, old, next) };
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

  /** The next instruction begins a new session; active runs continue. */
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
          this.waiting.sent(run, attachments);
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

  /** Give a session its next instruction without showing it. False: not saved. Rejects with the server's refusal. */
  async instruct(sessionId: string, path: string, instruction: string): Promise<boolean> {
    if (!(await this._ports.documents.prepare(path))) {
      return false;
    }
    const { choices, client, runs } = this._ports;
    const detail = await client.session(sessionId);
    const wanted = { path, instruction, attachments: [], session: sessionId };
    const { paneSize } = this;
    const agent = agentOf(detail.session);
    await runs.submit(newRun(choicesIn(detail, choices), { ...wanted, agent, paneSize }));
    return true;
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

  /** Files of the server's root folder that a mention may mean, best first. */
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
    const { agent, paneSize } = this;
    const run = await runs.submit(
      newRun(choices, { path, instruction, attachments, session, paneSize, agent })
    );
    choices.used(run.runtime);
    return run;
  }

  /** The shown session, else the document's open one; a new one where the CLI is another. */
  private async _sessionFor(path: string, runtime: string | null): Promise<string> {
    const shown = this.view === 'session' && !this.isForeign ? this.detail : null;
    if (shown && this._isFor(runtime)) {
      return shown.session.id;
    }
    const detail = await openSessionFor(this._ports.client, {
      path,
      runtime,
      isNew: this.fresh || shown !== null
    });
    this._show(detail, path);
    return detail.session.id;
  }

  /** Whether the shown session continues with this runtime. */
  private _isFor(runtime: string | null): boolean {
    return this.agent !== null || runtime === null || this.detail?.session.runtime === runtime;
  }

  /** `path`: the document for which it was asked for. Where that is left, its session must not follow. */
  private _show(detail: SessionDetail, path: string | null): void {
    if (path !== this.path) {
      return;
    }
    const same = this.detail?.session.id === detail.session.id;
    this.detail = detail;
    this.selected = same ? this.selected : null;
    this.view = 'session';
    this.fresh = false;
    this._remember();
    const newest = detail.runs.map(run => this._ports.runs.put(run)); // this page may know more of them
    this.detail = { ...detail, runs: newest };
    this.tell();
  }

  private _select(run: Run): void {
    this._onRun(this._ports.runs, this._ports.runs.get(run.id) ?? run);
    if (this.detail?.session.id === run.session_id) {
      this.selected = null;
      this.view = 'session';
    }
    void this.history.load();
    this.tell();
  }

  private _leaveSession(): void {
    this.detail = null;
    this.selected = null;
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
    this.follow(run);
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
}
