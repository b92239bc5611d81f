/**
 * One open document whose file others write: read again, saved on top of what they wrote, or asked about. With
 * real-time collaboration the server's document follows by itself, and nothing but saving is done here.
 */
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import { JSONExt } from '@lumino/coreutils';

import { FileIsNewer, guardSaving, type OnNewer } from './guardedSaving';
import { KnownNotebook } from './knownNotebook';
import { distrustRemoteOutputs } from './remoteOutputs';
import { cellsOf, isNewer, isWrittenLater, versionOf } from './versions';
import { WorkQueue } from './workQueue';

type Context = DocumentRegistry.Context;

/** How often a save is tried again that agents or the server's own saves were faster than, and after how long. */
const SAVE_TRIES = 12;
const SAVE_AGAIN_MS = 250;
/** How long after a run a shared document may still take in what it has written. */
const EXPECTED_MS = 10_000;

/** What of the application a document needs. */
export interface IFollowing {
  contents: Contents.IManager;
  /** Whether changes are shown at once; else every change is a choice. */
  followsChanges: () => boolean;
  /** Note scroll and active cell of all views of a document; the answer puts them back. */
  keepScroll(context: Context): Promise<() => void>;
  /** Whether an agent of this server works now: any file may be written by it. */
  agentsWork: () => boolean;
  /** The document was not saved: its file was changed, and the person has to choose a version first. */
  refused: () => void;
  /** `conflict` has another answer. */
  changed: () => void;
}

/** One for each context. */
export class FollowedDocument {
  constructor(
    private readonly _context: Context,
    private readonly _following: IFollowing
  ) {
    this._plainSave = guardSaving(_context, {
      contents: _following.contents,
      onNewer: disk => this._onNewer(disk),
      // a shared document takes no turns: its room saves, and may never answer
      save: () =>
        _context.model.collaborative
          ? this._write()
          : this._queue.addOnce('write', () => this._write())
    });
    void _context.ready.then(() => this._begin());
  }

  private _begin(): void {
    const { contentsModel, isDisposed, model } = this._context;
    if (isDisposed || contentsModel?.type !== 'notebook') {
      return;
    }
    if (model.collaborative) {
      const isRecent = () => Date.now() - this._expectedAt < EXPECTED_MS;
      distrustRemoteOutputs(this._context, () => isRecent() || this._following.agentsWork());
    }
    void this._known; // a kernel may write long before the first run: what the file had at first is known by then
  }

  /** The version of the file that could not be taken in, and about which a person is asked. */
  get conflict(): string | null {
    return this._conflict;
  }

  /** Whether JupyterLab cannot read the file any more: it is no valid notebook, or no UTF-8 text. */
  get isUnreadable(): boolean {
    return this._conflict !== null && this._conflict === this._unreadable;
  }

  /** Whether the file is being taken into the document; afterwards its views are restored to where they were. */
  get isReading(): boolean {
    return this._isReading;
  }

  /** Nobody works on the file: what is not unsaved is what it has. */
  restart(): void {
    const known = this._known; // from now on it hears of saves, also where something is unsaved now
    if (!this._context.model.dirty) {
      known?.restart(this._context.model.toJSON());
    }
  }

  /** What the file may have from now on that is not known was written by our server or by an agent. */
  expectChange(): void {
    this._expectsChange = true;
    this._expectedAt = Date.now();
  }

  /** Look whether the file has changed, and take it in where nothing is lost. */
  check(): Promise<void> {
    this.expectChange();
    return this._queue.addOnce('check', () => this._check());
  }

  /** Save on top of what others have written since it was read; false if nothing was saved. */
  save({ unlessConflict = false } = {}): Promise<boolean> {
    return this._queue.add(async () => {
      await this._check();
      const { isDisposed, model } = this._context;
      const wanted = model.dirty && !isDisposed && !(unlessConflict && this._conflict);
      try {
        await (wanted && this._write());
      } catch (error) {
        if (error instanceof FileIsNewer) {
          return false;
        }
        throw error;
      }
      return wanted;
    });
  }

  /** The person gives up the unsaved changes. */
  takeTheirs(): Promise<void> {
    return this._queue.add(() => this._load(true));
  }

  /** The next save writes over this version of the file, but not over a later one. */
  keepMine(): void {
    this._kept = this._conflict;
    this._setConflict(null);
  }

  /**
   * Take in what a person had typed into an earlier `version` of this text file. If the file has changed since, nothing
   * is saved until the person has chosen between the two.
   */
  restore(text: string, version: string): Promise<void> {
    return this._queue.add(async () => {
      const { contentsModel, isDisposed, model } = this._context;
      if (!contentsModel || isDisposed) {
        return;
      }
      const { mergeInto } = await import(/* webpackChunkName: "document-content" */ './merge');
      mergeInto(model.sharedModel, text);
      const current = versionOf(contentsModel);
      this._setConflict(current === version ? null : current);
    });
  }

  /**
   * Whether a person may mind that it is saved. With real-time collaboration it is saved all the time; a
   * notebook is called unsaved as soon as its kernel has named itself, though nobody touched a cell.
   */
  async holdsWork(): Promise<boolean> {
    const { model } = this._context;
    if (!model.dirty || model.collaborative) {
      return false;
    }
    const disk = this._known && (await this._get(true));
    const theirs = cellsOf(disk?.content);
    return theirs === null || !JSONExt.deepEqual(cellsOf(model.toJSON()), theirs);
  }

  /** Null for other documents than notebooks, while one is on its way, and where the server follows the file. */
  private get _known(): KnownNotebook | null {
    const { contentsModel, isReady, model, saveState } = this._context;
    if (!this._notebook && isReady && contentsModel?.type === 'notebook' && !model.collaborative) {
      const known = (this._notebook = new KnownNotebook());
      saveState.connect((_, state) => {
        if (state === 'started') {
          known.saving(model.toJSON());
        } else if (state === 'completed') {
          known.saved();
        }
      });
      if (!model.dirty) {
        known.restart(model.toJSON());
      }
    }
    return this._notebook;
  }

  /** JupyterLab's own save, with what agents have written meanwhile taken in first. */
  private async _write(): Promise<void> {
    for (let left = SAVE_TRIES; ; left -= 1) {
      try {
        this._refuseRestored();
        await this._plainSave();
        this._expectsChange = false;
        return;
      } catch (error) {
        if (!(error instanceof FileIsNewer)) {
          throw error;
        }
        await this._check();
        if (this._conflict !== null || left === 0) {
          this._following.refused();
          throw error;
        }
        await new Promise(resolve => setTimeout(resolve, SAVE_AGAIN_MS));
      }
    }
  }

  /** What was restored over a changed file does not look newer or older than that: the person chooses first. */
  private _refuseRestored(): void {
    const { contentsModel } = this._context;
    if (contentsModel && this._conflict === versionOf(contentsModel)) {
      throw new FileIsNewer();
    }
  }

  /** The room of a shared document takes in its file by itself; JupyterLab's question would change nothing there. */
  private _onNewer(disk: Contents.IModel): OnNewer {
    if (this._context.model.collaborative || versionOf(disk) === this._kept) {
      return 'overwrite';
    }
    return this._expectsChange || this._following.agentsWork() ? 'later' : 'ask';
  }

  /** Whether something is unsaved that is more than what its kernel has done. */
  private get _isTouched(): boolean {
    const { model } = this._context;
    return model.dirty && !this._known?.untouched(model.toJSON());
  }

  private async _check(): Promise<void> {
    const context = this._context;
    if (context.isDisposed || !context.isReady || context.model.collaborative) {
      return;
    }
    const disk = await this._get(false);
    if (!disk || context.isDisposed) {
      return;
    }
    const version = versionOf(disk);
    const { contentsModel } = context;
    if (!isNewer(disk, contentsModel) && this._conflict !== version) {
      this._setConflict(null);
      this._expectsChange = false;
      if (isWrittenLater(disk, contentsModel) && !this._isTouched) {
        await this._load(false); // somebody may have written it just when it was saved
      }
    } else if (this._isTouched || !this._following.followsChanges()) {
      this._setConflict(this._kept === version ? null : version);
    } else {
      await this._load(false);
    }
  }

  /** Take the file into the model, while nothing is unsaved but what a kernel has done; `whole`: whatever is lost. */
  private async _load(whole: boolean): Promise<void> {
    this._isReading = true;
    try {
      await this._takeIn(whole);
    } finally {
      this._isReading = false;
      this._following.changed();
    }
  }

  private async _takeIn(whole: boolean): Promise<void> {
    const context = this._context;
    const [disk, { applyContent }, putBack] = await Promise.all([
      this._get(true),
      import(/* webpackChunkName: "document-content" */ './applyContent'), // only those who need it load it
      this._following.keepScroll(context)
    ]);
    if (!disk && !context.isDisposed) {
      await this._askIfUnreadable();
    }
    if (!disk?.content || context.isDisposed) {
      return;
    }
    const adapt = (content: unknown) => (whole ? content : this._adapted(content));
    const adapted = adapt(disk.content);
    if (adapted === null) {
      this._setConflict(versionOf(disk));
      return;
    }
    this._known?.taken(disk.content);
    const distrustOne = (cell: { getId(): string }) => distrust(context, cell.getId());
    const taken = await applyContent(context, disk, adapted, distrustOne, adapt);
    putBack();
    this._known?.taken(taken.content);
    this._setConflict(taken.isWhole ? null : versionOf(context.contentsModel ?? disk));
  }

  /** Its content could not be read. If the file still exists, saves would wait for it forever. */
  private async _askIfUnreadable(): Promise<void> {
    const disk = await this._get(false);
    if (disk) {
      this._unreadable = versionOf(disk);
      this._setConflict(this._kept === this._unreadable ? null : this._unreadable);
    }
  }

  /** What of the file can be taken in; null where a person has changed something, or both have. */
  private _adapted(content: unknown): unknown {
    if (this._isTouched) {
      return null;
    }
    return this._known
      ? this._known.withOurResults(this._context.model.toJSON(), content)
      : content;
  }

  private async _get(content: boolean): Promise<Contents.IModel | null> {
    const { type, format } = this._context.contentsModel ?? {};
    try {
      return await this._following.contents.get(this._context.path, {
        content,
        hash: true,
        // after a save JupyterLab knows no format, and would send the word "undefined"
        ...(content ? { type, ...(format ? { format } : {}) } : {})
      });
    } catch {
      return null; // gone, or no connection: JupyterLab says so when it is saved
    }
  }

  private _setConflict(version: string | null): void {
    const isNew = (this._conflict === null) !== (version === null);
    this._conflict = version;
    if (isNew) {
      this._following.changed();
    }
  }

  private _notebook: KnownNotebook | null = null;
  private readonly _queue = new WorkQueue<'check' | 'write'>();
  private readonly _plainSave: () => Promise<void>;
  private _isReading = false;
  private _expectsChange = false;
  private _expectedAt = -Infinity;
  private _conflict: string | null = null;
  private _kept: string | null = null;
  private _unreadable: string | null = null;
}

/** The cell's model, unlike its shared model, keeps the trust it once had: new outputs would run as scripts. */
function distrust(context: Context, cellId: string): void {
  const cells = (context.model as Partial<INotebookModel>).cells ?? [];
  for (const cell of cells) {
    if (cell.id === cellId) {
      cell.trusted = false;
    }
  }
}
