/**
 * Open documents and the agents that write their files: saved before a run, read anew after a write,
 * never overwritten while a person has unsaved work. With real-time collaboration the server's document
 * follows by itself and nothing is done here.
 */
import type { ISharedNotebook } from '@jupyter/ydoc';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import type * as nbformat from '@jupyterlab/nbformat';
import { JSONExt } from '@lumino/coreutils';

import type { EventStream } from '../../api/events';
import type { Run } from '../../api/types';
import type { IDocuments } from '../../editor';
import { type OutputStore, isFinal, isWorking, type RunStore } from '../../runs';
import { Store } from '../../shared/store';
import { keepRunningOutputs } from './runningOutputs';
import { cellsOf, isNewer, sameButOutputs, versionOf, withOurOutputs } from './versions';

/** Writes of one tool call often come in a burst: look once after it. */
export const SETTLE_MS = 150;

/** Who a kernel is on a server with one token for all. */
const PROGRAMS_OWNER = 'owner';

type Context = DocumentRegistry.Context;

/** The open documents of the application. */
export interface IOpenDocuments {
  contexts(): Context[];
  /** Relative to the server's folder; null for a document that is not there. */
  pathOf(context: Context): string | null;
  askToSave(path: string): Promise<boolean>;
  /** The ids of the cells of a notebook that its kernel runs for this page. */
  running(context: Context): ReadonlySet<string>;
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

/** Tells with `changed` when an answer of `editing`, `conflict` or `savedFirst` may be another one. */
export class DocumentFollower extends Store implements IDocuments {
  constructor(private readonly _options: IFollowOptions) {
    super();
    _options.runs.updated.connect(this._onRun, this);
    _options.events.onMissed(() => void this.check());
  }

  /** Whether changes are shown at once; else every change is a choice. */
  followChanges = true;

  /** The run that edits this document now. */
  editing(path: string | null): Run | null {
    return this._options.runs.active.find(run => isWorking(run) && run.path === path) ?? null;
  }

  savedFirst(path: string | null): boolean {
    return path !== null && this._savedFirst.has(path);
  }

  /** The file has a newer version than the one under the person's unsaved changes. */
  conflict(path: string | null): boolean {
    return path !== null && this._conflicts.has(path);
  }

  async prepare(path: string): Promise<boolean> {
    this._savedFirst.delete(path);
    this._noteCells(path);
    const unsaved = this._contexts(path).filter(context => context.model.dirty);
    if (!unsaved.length) {
      return true;
    }
    if ((await this._holdsWork(unsaved)) && !(await this._options.documents.askToSave(path))) {
      return false;
    }
    await Promise.all(unsaved.map(context => context.save()));
    if (this._contexts(path).some(context => context.model.dirty)) {
      return false; // JupyterLab has asked about a conflict, or could not save and said so
    }
    this._savedFirst.add(path);
    this.tell();
    return true;
  }

  /** Before a run from one of its cells: a person who runs a cell wants the agent to see the notebook as it is. */
  private async _saveFirst(path: string): Promise<void> {
    this._savedFirst.delete(path);
    this._noteCells(path);
    const contexts = this._contexts(path);
    contexts.forEach(context => this._noteSaves(context));
    const unsaved = contexts.filter(context => context.model.dirty);
    await Promise.all(unsaved.map(context => context.save()));
    if (unsaved.length) {
      this._savedFirst.add(path);
      this.tell();
    }
  }

  /** From each save on, what was saved is what the agent's changes are made to. */
  private _noteSaves(context: Context): void {
    if (!this._noted.has(context)) {
      this._noted.add(context);
      context.saveState.connect((_, state) => {
        if (state === 'started') {
          this._noteCells(this._options.documents.pathOf(context) ?? '');
        }
      });
    }
  }

  /** Look whether the file of each open document has changed, and take it in where nothing is lost. */
  async check(path?: string): Promise<void> {
    await Promise.all(this._contexts(path).map(context => this._check(context)));
  }

  /** The person gives up the unsaved changes. */
  async takeTheirs(path: string): Promise<void> {
    await Promise.all(this._contexts(path).map(context => this._load(context, true)));
    this._conflicts.delete(path);
    this.tell();
  }

  /** The strip goes; saving still meets JupyterLab's own question, because the file is newer. */
  keepMine(path: string): void {
    this._kept.set(path, this._conflicts.get(path) ?? '');
    this._conflicts.delete(path);
    this.tell();
  }

  /**
   * Whether a person may mind that it is saved. With real-time collaboration it is saved all the time; a
   * notebook is called unsaved as soon as its kernel has named itself, though nobody touched a cell.
   */
  private async _holdsWork(unsaved: Context[]): Promise<boolean> {
    const work = await Promise.all(
      unsaved
        .filter(context => !context.model.collaborative)
        .map(async context => !(await this._sameCells(context)))
    );
    return work.includes(true);
  }

  /** What the cells of a notebook are when a run begins, and after each change of it that was taken in. */
  private _noteCells(path: string): void {
    for (const context of this._contexts(path)) {
      if (context.contentsModel?.type === 'notebook') {
        this._cells.set(path, context.model.toJSON() as nbformat.INotebookContent);
      }
    }
  }

  /** Whether a notebook is unsaved only because of its kernel, which has named itself or written outputs. */
  private _untouched(context: Context): boolean {
    const before = this._before(context);
    return before !== null && sameButOutputs(before, context.model.toJSON());
  }

  private _before(context: Context): nbformat.INotebookContent | null {
    return this._cells.get(this._options.documents.pathOf(context) ?? '') ?? null;
  }

  /** The file with the outputs that the kernel has written meanwhile; null where both have written the same ones. */
  private _adapted(context: Context, content: unknown): unknown {
    const before = this._before(context);
    if (!before || cellsOf(content) === null) {
      return content;
    }
    const ours = context.model.toJSON() as nbformat.INotebookContent;
    return withOurOutputs(before, ours, content as nbformat.INotebookContent);
  }

  /** Whether a notebook's cells are the same on disk; false for everything that is no notebook. */
  private async _sameCells(context: Context): Promise<boolean> {
    const disk = context.contentsModel?.type === 'notebook' ? await this._get(context, true) : null;
    const theirs = cellsOf(disk?.content);
    return theirs !== null && JSONExt.deepEqual(cellsOf(context.model.toJSON()), theirs);
  }

  private async _check(context: Context): Promise<void> {
    const path = this._options.documents.pathOf(context);
    if (!path || context.isDisposed || !context.isReady || context.model.collaborative) {
      return;
    }
    const disk = await this._get(context, false);
    if (!disk || context.isDisposed) {
      return;
    }
    const version = versionOf(disk);
    if (!isNewer(disk, context.contentsModel)) {
      this._setConflict(path, null);
    } else if ((context.model.dirty && !this._untouched(context)) || !this.followChanges) {
      this._setConflict(path, this._kept.get(path) === version ? null : version);
    } else {
      await this._load(context, false);
    }
  }

  /** Take the file into the model, while nothing is unsaved but outputs; `whole`: whatever is lost. */
  private async _load(context: Context, whole: boolean): Promise<void> {
    const [disk, { applyContent }, putBack] = await Promise.all([
      this._get(context, true),
      import(/* webpackChunkName: "document-content" */ './applyContent'), // only those who need it load it
      this._options.documents.keepScroll(context)
    ]);
    if (!disk?.content || context.isDisposed) {
      return;
    }
    const path = this._options.documents.pathOf(context) ?? '';
    if (!whole && context.model.dirty && !this._untouched(context)) {
      await this._check(context);
      return;
    }
    const adapt = (content: unknown) => (whole ? content : this._adapted(context, content));
    if (adapt(disk.content) === null) {
      this._setConflict(path, versionOf(disk));
      return;
    }
    await applyContent(context, disk, cell => distrust(context, cell.getId()), adapt);
    putBack();
    if (cellsOf(disk.content) !== null) {
      this._cells.set(path, disk.content as nbformat.INotebookContent);
    }
    this._setConflict(path, null);
  }

  private async _get(context: Context, content: boolean): Promise<Contents.IModel | null> {
    const { type, format } = context.contentsModel ?? {};
    try {
      return await this._options.contents.get(context.path, {
        content,
        hash: true,
        // after a save JupyterLab knows no format, and would send the word "undefined"
        ...(content ? { type, ...(format ? { format } : {}) } : {})
      });
    } catch {
      return null; // gone, or no connection: JupyterLab says so when it is saved
    }
  }

  private _contexts(path?: string): Context[] {
    const { documents } = this._options;
    return documents
      .contexts()
      .filter(context => path === undefined || documents.pathOf(context) === path);
  }

  private _setConflict(path: string, version: string | null): void {
    if (version === null ? this._conflicts.delete(path) : !this._conflicts.has(path)) {
      if (version !== null) {
        this._conflicts.set(path, version);
      }
      this.tell();
    }
  }

  /**
   * A shared notebook takes in what the agent writes by itself, outputs too, and its cells would run
   * them as scripts where a person has trusted what was there before. Running a cell trusts it again.
   */
  private _distrustShared(path: string): void {
    for (const context of this._contexts(path)) {
      if (context.model.collaborative) {
        distrust(context);
      }
    }
  }

  private _onRun(_: RunStore, run: Run): void {
    this._onCell(run);
    if (run.path && isWorking(run)) {
      this._distrustShared(run.path);
      this._keepOutputs(run.path);
    }
    if (isFinal(run)) {
      this._watched.get(run.id)?.();
      this._watched.delete(run.id);
      this._schedule();
    } else if (run.path && isWorking(run) && !this._watched.has(run.id) && this._isOpen(run)) {
      void this._watch(run);
    }
    this.tell();
  }

  /** For as long as the notebook is open: its server may take in the file a while after the run. */
  private _keepOutputs(path: string): void {
    for (const context of this._contexts(path)) {
      const { collaborative, sharedModel } = context.model;
      if (collaborative && 'cells' in sharedModel && !this._guarded.has(context)) {
        this._guarded.add(context);
        const { documents } = this._options;
        const end = keepRunningOutputs(sharedModel as unknown as ISharedNotebook, () =>
          documents.running(context)
        );
        context.disposed.connect(end);
      }
    }
  }

  private _onCell({ id, kind, owner, path, state }: Run): void {
    if (kind === 'cell' && path && !this._begun.has(id)) {
      this._begun.add(id);
      const isNew = state === 'queued' || state === 'starting';
      if (isNew && (owner === this._options.username() || owner === PROGRAMS_OWNER)) {
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
    if (!this._scheduled.has(path)) {
      this._scheduled.add(path);
      setTimeout(() => {
        this._scheduled.delete(path);
        void this.check(path);
      }, SETTLE_MS);
    }
  }

  private readonly _savedFirst = new Set<string>();
  private readonly _conflicts = new Map<string, string>();
  private readonly _kept = new Map<string, string>();
  private readonly _cells = new Map<string, nbformat.INotebookContent>();
  private readonly _noted = new WeakSet<Context>();
  private readonly _guarded = new WeakSet<Context>();
  private readonly _begun = new Set<string>();
  private readonly _scheduled = new Set<string | undefined>();
  private readonly _watched = new Map<string, () => void>();
}

/** The cell's model, unlike its shared model, keeps the trust it once had: new outputs would run as scripts. */
function distrust(context: Context, cellId?: string): void {
  const cells = (context.model as Partial<INotebookModel>).cells ?? [];
  for (const cell of cells) {
    if (cellId === undefined || cell.id === cellId) {
      cell.trusted = false;
    }
  }
}
