/**
 * Open documents and the agents that write their files: saved before a run, read again after a write,
 * never overwritten while a person has unsaved work. With real-time collaboration the server's document
 * follows by itself and nothing is done here.
 */
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { Contents } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import type { EventStream } from '../../api/events';
import type { CabinetEvent, Run } from '../../api/types';
import type { IDocuments } from '../../editor';
import { type OutputStore, isFinal, isOwn, isWorking, type RunStore } from '../../runs';
import { Store } from '../../shared/store';
import { FollowedDocument, type IFollowing } from './followedDocument';

/** Writes of one tool call often come in a burst: look once after it. */
export const SETTLE_MS = 150;

type Context = DocumentRegistry.Context;

/** The open documents of the application. */
export interface IOpenDocuments {
  contexts(): Context[];
  /** Relative to the server's root folder; null for a document that is not there. */
  pathOf(context: Context): string | null;
  askToSave(path: string): Promise<boolean>;
  /** Note scroll and active cell of all views of a document; the answer puts them back. */
  keepScroll(context: Context): Promise<() => void>;
}

/** What the follower is made with. */
export interface IFollowOptions {
  contents: Contents.IManager;
  documents: IOpenDocuments;
  runs: RunStore;
  events: EventStream;
  /** Who looks at this page; null while it is not known. */
  username: () => string | null;
}

/** Tells with `changed` when an answer of `editing`, `conflict`, `isReading` or `savedFirst` may be another one. */
export class DocumentFollower extends Store implements IDocuments {
  constructor(private readonly _options: IFollowOptions) {
    super();
    this._following = {
      contents: _options.contents,
      followsChanges: () => this.followChanges,
      keepScroll: context => _options.documents.keepScroll(context),
      agentsWork: () => _options.runs.active.some(isWorking),
      refused: () => this.refused.emit(),
      changed: () => this.tell()
    };
    _options.runs.updated.connect(this._onRun, this);
    _options.events.onMissed(() => void this.check());
    _options.events.happened.connect((_, happened) => {
      const event = happened as CabinetEvent;
      if (event.type === 'changes_updated') {
        this._schedule(); // a person has taken an agent's changes back
      } else if (event.type === 'plan_changed' && event.checklist) {
        this._schedule(event.checklist); // the plan marks in it what is done
      }
    });
  }

  /** A document was not saved, because a person has to choose a version first. */
  readonly refused = new Signal<this, void>(this);

  /** Follow all documents that are open now, also those that no agent works on: their saves are guarded. */
  follow(): void {
    this._documents();
  }

  /** Whether changes are shown at once; else every change is a choice. What waits for one is shown if that changes. */
  get followChanges(): boolean {
    return this._followChanges;
  }
  set followChanges(follows: boolean) {
    const begins = follows && !this._followChanges;
    this._followChanges = follows;
    if (begins) {
      void this.check();
    }
  }

  /** The run that edits this document now. */
  editing(path: string | null): Run | null {
    return this._options.runs.active.find(run => isWorking(run) && run.path === path) ?? null;
  }

  savedFirst(path: string | null): boolean {
    return path !== null && this._savedFirst.has(path);
  }

  /** The file has a newer version that was not taken in: something is unsaved, or changes are not shown at once. */
  conflict(path: string | null): boolean {
    return path !== null && this._documents(path).some(({ conflict }) => conflict !== null);
  }

  /** Whether the person has changes in the document that a newer version would replace. */
  hasUnsaved(path: string | null): boolean {
    return path !== null && this._contexts(path).some(({ model }) => model.dirty);
  }

  /** Whether that newer version cannot be shown: it is no valid notebook, or no UTF-8 text. */
  isUnreadable(path: string | null): boolean {
    return path !== null && this._documents(path).some(each => each.isUnreadable);
  }

  /** Whether a newer version of the file is just being shown; until then the document's views may still move. */
  isReading(path: string): boolean {
    return this._documents(path).some(each => each.isReading);
  }

  async prepare(path: string): Promise<boolean> {
    this._begin(path);
    const documents = this._documents(path);
    const holdsWork = await Promise.all(documents.map(each => each.holdsWork()));
    if (holdsWork.includes(true) && !(await this._options.documents.askToSave(path))) {
      return false;
    }
    await this._save(path);
    return !this._contexts(path).some(context => context.model.dirty); // else JupyterLab has asked, or said why not
  }

  /** Look whether the file of each open document has changed, and take it in where nothing is lost. */
  async check(path?: string): Promise<void> {
    await Promise.all(this._documents(path).map(each => each.check()));
  }

  /** The person gives up the unsaved changes. */
  async takeTheirs(path: string): Promise<void> {
    await Promise.all(this._documents(path).map(each => each.takeTheirs()));
  }

  /** The strip goes; the next save writes over the version that it was about. */
  keepMine(path: string): void {
    this._documents(path).forEach(each => each.keepMine());
  }

  /** Take in what the person had typed into an earlier version of a text file. */
  async restore(path: string, text: string, version: string): Promise<void> {
    await Promise.all(this._documents(path).map(each => each.restore(text, version)));
  }

  private _begin(path: string): void {
    this._savedFirst.delete(path);
    if (!this.editing(path)) {
      this._documents(path).forEach(each => each.restart());
    }
  }

  /** Before a run from one of its cells: a person who runs a cell wants the agent to see the notebook as it is. */
  private async _saveFirst(path: string): Promise<void> {
    this._begin(path);
    try {
      await this._save(path, { unlessConflict: true });
    } catch {
      // JupyterLab has said why
    }
  }

  private async _save(path: string, options?: { unlessConflict: boolean }): Promise<void> {
    const saved = await Promise.all(this._documents(path).map(each => each.save(options)));
    if (saved.includes(true)) {
      this._savedFirst.add(path);
      this.tell();
    }
  }

  private _documents(path?: string): FollowedDocument[] {
    return this._contexts(path).map(context => {
      const known = this._followed.get(context);
      if (known) {
        return known;
      }
      const followed = new FollowedDocument(context, this._following);
      this._followed.set(context, followed);
      // the run may have got the new name before the document, which a colleague has renamed
      context.pathChanged.connect(() => this.tell());
      return followed;
    });
  }

  private _contexts(path?: string): Context[] {
    const { documents } = this._options;
    return documents
      .contexts()
      .filter(
        context =>
          documents.pathOf(context) !== null &&
          (path === undefined || documents.pathOf(context) === path)
      );
  }

  private _onRun(_: RunStore, run: Run): void {
    this._onCell(run);
    if (isFinal(run)) {
      this._watched.get(run.id)?.();
      this._watched.delete(run.id);
      this._schedule();
    } else if (run.path && isWorking(run) && !this._watched.has(run.id) && this._isOpen(run)) {
      void this._watch(run);
    }
    this.tell();
  }

  private _onCell({ id, kind, owner, path, state }: Run): void {
    if (kind === 'cell' && path && !this._begun.has(id)) {
      this._begun.add(id);
      const isNew = state === 'queued' || state === 'starting';
      if (isNew && isOwn({ owner }, this._options.username())) {
        void this._saveFirst(path);
      }
    }
  }

  private _isOpen(run: Run): boolean {
    return this._contexts(run.path ?? undefined).some(context => !context.model.collaborative);
  }

  private async _watch(run: Run): Promise<void> {
    this._watched.set(run.id, () => undefined); // it is on its way
    const output = (await this._options.runs.outputs()).get(run.id);
    if (!this._watched.has(run.id)) {
      return; // it has ended meanwhile
    }
    let seen = 0;
    const onOutput = (store: OutputStore) => {
      const results = store.folded.rows.filter(row => row.kind === 'tool' && row.result).length;
      if (results > seen) {
        seen = results;
        this._schedule(run.path ?? undefined);
      }
    };
    output.changed.connect(onOutput);
    this._watched.set(run.id, () => output.changed.disconnect(onOutput));
  }

  /** Once for all that asks for it meanwhile: many runs may become known at once. */
  private _schedule(path?: string): void {
    this._documents(path).forEach(each => each.expectChange());
    if (!this._scheduled.has(path)) {
      this._scheduled.add(path);
      setTimeout(() => {
        this._scheduled.delete(path);
        void this.check(path);
      }, SETTLE_MS);
    }
  }

  private readonly _savedFirst = new Set<string>();
  private _followChanges = true;
  private readonly _following: IFollowing;
  private readonly _followed = new WeakMap<Context, FollowedDocument>();
  private readonly _begun = new Set<string>();
  private readonly _scheduled = new Set<string | undefined>();
  private readonly _watched = new Map<string, () => void>();
}
