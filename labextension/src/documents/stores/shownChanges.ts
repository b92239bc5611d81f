/**
 * The changes of a run that are shown in an open document: which there are, which one a person has gone to, and
 * whether the document may scroll by itself. No DOM; the views mark and scroll.
 */
import type { FileDiff, Run } from '../../api/types';
import { Store } from '../../shared/store';
import { changedPlaces, type IChangedPlace } from './changedPlaces';

/** What one document shows. */
export interface IShownChanges {
  run: Run;
  /** The document's name in the changes of the run. It may have been renamed since. */
  file: string;
  /** Those that are still marked, in the order of the document. */
  places: readonly IChangedPlace[];
  /** The place that was gone to; `null` before any. */
  current: IChangedPlace | null;
  /** Whether the document may scroll to the first place by itself. */
  mayScroll: boolean;
}

/** Tells with `changed` of anything. Documents are named by their paths. */
export class ShownChanges extends Store {
  of(path: string | null): IShownChanges | null {
    return (path !== null && this._shown.get(path)) || null;
  }

  /** Whether a person's actions have to be reported with `touched`. */
  get isWatching(): boolean {
    return this._touched.size > 0 || [...this._shown.values()].some(shown => shown.mayScroll);
  }

  /** A run works. What an earlier one has changed in its document is no longer shown. */
  began(run: Run): void {
    if (!this._touched.has(run.id)) {
      this._touched.set(run.id, new Set());
      if (run.path !== null) {
        this.dismiss(run.path);
      }
    }
  }

  /** A person has typed, scrolled or moved the cursor in a document: from now on it stays where it is. */
  touched(path: string): void {
    this._touched.forEach(paths => paths.add(path));
    const shown = this._shown.get(path);
    if (shown?.mayScroll) {
      this._shown.set(path, { ...shown, mayScroll: false });
    }
  }

  /** Whether a document may scroll by itself to what a run that works asks for: nobody has touched it since it began. */
  mayScrollFor(path: string, runId: string): boolean {
    return this._touched.get(runId)?.has(path) === false;
  }

  /** The run has ended: these are its changes. Runs that were not seen working never scroll a document. */
  ended(run: Run, diffs: readonly FileDiff[]): void {
    const touched = this._touched.get(run.id);
    this._touched.delete(run.id);
    for (const diff of diffs) {
      const places = openPlaces(diff);
      if (places.length > 0) {
        const mayScroll = touched !== undefined && !touched.has(diff.path);
        this._shown.set(diff.path, { run, file: diff.path, places, current: null, mayScroll });
      } else {
        this._shown.delete(diff.path); // the marks of an earlier run would mislead
      }
    }
    this.tell();
  }

  /**
   * A document was opened: this is what its last run has changed. Only places that are still there and that nobody
   * has decided about are shown, unless the document shows other changes already.
   */
  opened(run: Run, diff: FileDiff, isThere: (place: IChangedPlace) => boolean): void {
    const { parts, path } = diff;
    if (this._shown.has(path)) {
      return;
    }
    const decided = new Set(parts.filter(({ decision }) => decision).map(({ id }) => id));
    const [places, others] = [[], []] as [IChangedPlace[], IChangedPlace[]];
    openPlaces(diff).forEach(place =>
      (isThere(place) && !decided.has(place.part) ? places : others).push(place)
    );
    this._edited.set(
      run.id,
      new Set([...(this._edited.get(run.id) ?? []), ...others.map(place => keyOf(path, place))])
    );
    if (places.length > 0) {
      this._shown.set(path, { run, file: path, places, current: null, mayScroll: false });
      this.tell();
    }
  }

  /** Somebody has decided about parts of a file: those that were reverted are no longer marked. */
  decided(path: string, run: Run, diff: FileDiff): void {
    const shown = this._shown.get(path);
    if (shown?.run.id === run.id) {
      const edited = this._edited.get(shown.run.id) ?? new Set();
      const known = new Map(shown.places.map(place => [keyOf(diff.path, place), place]));
      const places = openPlaces(diff)
        .filter(place => !edited.has(keyOf(diff.path, place)))
        .map(place => known.get(keyOf(diff.path, place)) ?? place);
      if (places.length !== known.size || places.some(place => !shown.places.includes(place))) {
        this._shown.set(path, { ...shown, places, current: null, mayScroll: false });
        this.tell();
      }
    }
  }

  /** A person has edited near a place: it is theirs now, and its mark goes. */
  edited(path: string, place: IChangedPlace): void {
    const shown = this._shown.get(path);
    if (!shown?.places.includes(place)) {
      return;
    }
    const { id } = shown.run;
    this._edited.set(id, (this._edited.get(id) ?? new Set()).add(keyOf(shown.file, place)));
    const places = shown.places.filter(each => each !== place);
    if (places.length === 0) {
      this._shown.delete(path);
    } else {
      const current = shown.current === place ? null : shown.current;
      this._shown.set(path, { ...shown, places, current });
    }
    this.tell();
  }

  /** Go to the next place or the one before, round at the ends. `null`: no place is there. */
  go(
    path: string | null,
    step: 1 | -1,
    isThere: (place: IChangedPlace) => boolean = () => true
  ): IChangedPlace | null {
    const shown = this.of(path);
    if (!shown) {
      return null;
    }
    const { current, places } = shown;
    const start = current ? places.indexOf(current) : step > 0 ? -1 : places.length;
    const count = places.length;
    for (let moved = 1; moved <= count; moved += 1) {
      const place = places[(((start + step * moved) % count) + count) % count];
      if (isThere(place)) {
        this._goTo(path!, place, false);
        return place;
      }
    }
    return null;
  }

  /** The document has scrolled to its first place by itself. */
  scrolled(path: string, place: IChangedPlace): void {
    if (this._shown.get(path)?.places.includes(place)) {
      this._goTo(path, place, true); // other views of the document may still have to follow
    }
  }

  /** The document was renamed: it keeps what it shows, and whether a person has touched it. */
  renamed(old: string, path: string): void {
    for (const paths of this._touched.values()) {
      if (paths.delete(old)) {
        paths.add(path);
      }
    }
    const shown = this._shown.get(old);
    if (shown) {
      this._shown.delete(old);
      this._shown.set(path, shown);
      this.tell();
    }
  }

  dismiss(path: string): void {
    if (this._shown.delete(path)) {
      this.tell();
    }
  }

  private _goTo(path: string, current: IChangedPlace, mayScroll: boolean): void {
    this._shown.set(path, { ...this._shown.get(path)!, current, mayScroll });
    this.tell();
  }

  private readonly _shown = new Map<string, IShownChanges>();
  /** The documents that a person has touched since a run began, for each run that works. */
  private readonly _touched = new Map<string, Set<string>>();
  /** The places that a person has edited, for each run. */
  private readonly _edited = new Map<string, Set<string>>();
}

/** The places of a diff that nobody has reverted. */
function openPlaces(diff: FileDiff): IChangedPlace[] {
  const reverted = new Set(
    diff.parts.filter(({ decision }) => decision?.decision === 'reverted').map(({ id }) => id)
  );
  return changedPlaces(diff).filter(({ part }) => !reverted.has(part));
}

function keyOf(path: string, { cell, first, part }: IChangedPlace): string {
  return [path, part, cell, first].join('\n');
}
