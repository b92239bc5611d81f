/**
 * The search in the timeline of one session. The server searches, so entries that are not read yet are found too.
 */
import type { PastSessionRoutes } from '../../api/pastSessionRoutes';
import { reasonText } from '../../shared/liveStore';
import { Store } from '../../shared/store';
import type { TimelineStore } from './timeline';

export class TimelineSearch extends Store {
  constructor(
    private readonly _routes: PastSessionRoutes,
    private readonly _timeline: TimelineStore
  ) {
    super();
  }

  /** The words that are searched for; empty: none. */
  q = '';
  /** The places of the matches, in order; null: not known yet, or there are no words. */
  places: readonly number[] | null = null;
  /** False: there may be more matches after the last one. */
  isComplete = true;
  /** Why the server did not search. */
  problem: string | null = null;

  /** The number of the chosen match, from 0; null: the chosen entry is none. */
  get position(): number | null {
    const at = this.places?.indexOf(this._timeline.current?.place ?? -1) ?? -1;
    return at < 0 ? null : at;
  }

  /** Search, and choose the first match that is not before the chosen entry. */
  async find(words: string): Promise<void> {
    this.q = words.trim();
    this.places = null;
    this.tell();
    if (await this.repeat()) {
      const from = this._timeline.current?.place ?? 0;
      this._choose(
        this._first(place => place >= from),
        1
      );
    }
  }

  /** Search without choosing a match: its entry is chosen already. */
  async take(words: string): Promise<void> {
    this.q = words.trim();
    await this.repeat();
  }

  /** Search for the same words, as when the session has grown. False: there is no answer, or not of these words. */
  async repeat(): Promise<boolean> {
    const request = ++this._request;
    this.problem = null;
    if (!this.q) {
      this.places = null;
      this.tell();
      return false;
    }
    const { outline, session } = this._timeline;
    const query = { q: this.q, branch: outline?.branch };
    try {
      const { is_complete, places } = await this._routes.matches(session.id, query);
      if (request !== this._request) {
        return false;
      }
      this.places = places;
      this.isComplete = is_complete;
    } catch (reason) {
      if (request === this._request) {
        this.problem = reasonText(reason);
      }
    }
    this.tell();
    return request === this._request && this.problem === null;
  }

  /** Choose the next match, or the previous one; after the last one the first. */
  step(by: 1 | -1): void {
    const at = this._timeline.current?.place ?? -1;
    const last = this.places?.filter(place => place < at).at(-1);
    this._choose(by === 1 ? this._first(place => place > at) : last, by);
  }

  private _first(fits: (place: number) => boolean): number | undefined {
    return this.places?.find(fits);
  }

  private _choose(place: number | undefined, by: 1 | -1): void {
    const chosen = place ?? this.places?.at(by === 1 ? 0 : -1);
    if (chosen !== undefined) {
      this._timeline.choose(chosen);
    }
  }

  private _request = 0;
}
