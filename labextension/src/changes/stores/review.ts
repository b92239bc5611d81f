/**
 * A review of what one run has changed: the current change, and the progress. A change is a hunk, a
 * cell, or a whole file that has neither.
 */
import type { ChangedFile, Changes, FileDiff, Run } from '../../api/types';
import { Store } from '../../shared/store';
import type { ChangesStore, Decision } from './changes';
import { certainFiles } from './labels';

export type DiffPart = FileDiff['parts'][number];

/** Tells with `changed` of anything that a view shows, also of what the changes' store tells. */
export class ReviewStore extends Store {
  constructor(
    private readonly _changes: ChangesStore,
    readonly run: Run
  ) {
    super();
    _changes.changed.connect(this.tell, this);
  }

  /** The current file; null before anything is known. */
  path: string | null = null;
  /** Index of the current change in this file. */
  index = 0;
  /** Old and new beside each other, else one below the other. */
  sideBySide = false;
  /** Counts how often a person has gone to a change: each time it gets the focus. */
  moves = 0;

  override dispose(): void {
    this._changes.changed.disconnect(this.tell, this);
    super.dispose();
  }

  /** Null where nothing is kept of the run, undefined while that is not known. */
  get found(): Changes | null | undefined {
    return this._changes.of(this.run);
  }

  get files(): ChangedFile[] {
    return this.found?.files ?? [];
  }

  get file(): ChangedFile | null {
    return this.files.find(({ path }) => path === this.path) ?? null;
  }

  get diff(): FileDiff | null {
    return this.path === null ? null : this._changes.diff(this.run, this.path);
  }

  get parts(): readonly DiffPart[] {
    return this.diff?.parts ?? [];
  }

  /** Null in a file that has no parts. */
  get part(): DiffPart | null {
    return this.parts[this.index] ?? null;
  }

  /** Files about which everything is decided. */
  get reviewed(): number {
    return this.files.filter(file => this._isReviewed(file)).length;
  }

  setSideBySide(sideBySide: boolean): void {
    this.sideBySide = sideBySide;
    this.tell();
  }

  /** Read what there is, and begin at the first file that nobody has decided about. */
  async open(): Promise<void> {
    await this._changes.read(this.run);
    const first = this.files.find(file => !this._isReviewed(file)) ?? this.files[0];
    if (first && this.path === null) {
      await this.select(first.path);
    }
  }

  async select(path: string): Promise<void> {
    this.path = path;
    this.index = 0;
    this.tell();
    await this._changes.readDiff(this.run, path);
  }

  /** Look at one change of the file. */
  goTo(index: number): void {
    this.index = index;
    this.moves += 1;
    this.tell();
  }

  /** Go to the next change, or to the one before, also in another file. False: there is none. */
  async move(step: 1 | -1): Promise<boolean> {
    if (this.index + step >= 0 && this.index + step < this.parts.length) {
      this.goTo(this.index + step);
      return true;
    }
    const place = this.files.findIndex(({ path }) => path === this.path);
    const next = this.files[place + step];
    if (!next) {
      return false;
    }
    await this.select(next.path);
    this.goTo(step > 0 ? 0 : Math.max(this.parts.length - 1, 0));
    return true;
  }

  /**
   * Decide about the current change, and move to the next undecided one. If the whole
   * file was decided about, only that can be undone.
   */
  async decide(decision: Decision): Promise<boolean> {
    const { file, part } = this;
    const before = part?.decision ?? file?.decision ?? null;
    if (!file || (decision === 'undo') !== (before !== null)) {
      return false;
    }
    const id = file.decision === null && part?.id ? part.id : null;
    const done = await this._changes.decide(this.run, decision, [file.path], { part: id });
    if (done && decision !== 'undo') {
      await this._toNextOpen();
    }
    return done;
  }

  /**
   * Decide about the whole file, or all undecided files with null. Reverting all leaves alone the files that another run
   * may have changed.
   */
  async decideFiles(decision: Decision, path: string | null): Promise<boolean> {
    const open = this.files.filter(file => file.decision === null);
    const all = decision === 'revert' ? certainFiles({ files: open }) : open;
    const paths = path === null ? all.map(file => file.path) : [path];
    return this._changes.decide(this.run, decision, paths);
  }

  /** Move to the next undecided change; if all are decided, stay. */
  private async _toNextOpen(): Promise<void> {
    const later = this.parts.findIndex((part, at) => at > this.index && !part.decision);
    const inFile = later >= 0 ? later : this.parts.findIndex(part => !part.decision);
    if (!this.file?.decision && inFile >= 0) {
      this.goTo(inFile);
      return;
    }
    const place = this.files.findIndex(({ path }) => path === this.path);
    const others = [...this.files.slice(place + 1), ...this.files.slice(0, place)];
    const next = others.find(file => !this._isReviewed(file));
    if (next) {
      await this.select(next.path);
      const first = this.parts.findIndex(part => !part.decision);
      this.goTo(Math.max(first, 0));
    } else {
      this.goTo(this.index);
    }
  }

  private _isReviewed(file: ChangedFile): boolean {
    const parts = this._changes.diff(this.run, file.path)?.parts ?? [];
    const all = parts.length > 0 && parts.every(part => part.decision);
    return file.decision !== null || all;
  }
}
