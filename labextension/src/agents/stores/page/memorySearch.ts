/**
 * The search in the memory of one agent. The server searches; the words and the matches stay while another tab is shown.
 */
import { ApiError } from '../../../api/client';
import type { MemoryMatch, MemoryMatches } from '../../../api/types';
import { Store } from '../../../shared/store';

/** A part of an excerpt: whether it is one of the words. */
export interface IExcerptPart {
  text: string;
  isHit: boolean;
}

export class MemorySearch extends Store {
  /** `ask` rejects as the client does. */
  constructor(private readonly _ask: (q: string) => Promise<MemoryMatches>) {
    super();
  }

  /** The words that are searched for; empty: none. */
  q = '';
  /** Best first; null: not known yet, or there are no words. */
  matches: readonly MemoryMatch[] | null = null;
  /** Files that were not searched. */
  leftOut = 0;
  /** Why the server did not search; null also while it cannot be reached. */
  problem: string | null = null;

  /** Resolves when the matches of these words are known, or others are searched for. */
  async find(words: string): Promise<void> {
    this.q = words.trim();
    this.matches = null;
    this.problem = null;
    this.tell();
    await this.repeat();
  }

  /** Search for the same words, as when a file has changed. */
  async repeat(): Promise<void> {
    const request = ++this._request;
    if (!this.q) {
      return;
    }
    let [found, problem]: [MemoryMatches | null, string | null] = [null, null];
    try {
      found = await this._ask(this.q);
    } catch (reason) {
      problem = reason instanceof ApiError ? reason.message : null;
    }
    if (request === this._request && !this.isDisposed) {
      this.matches = found?.items ?? this.matches;
      this.leftOut = found?.left_out ?? this.leftOut;
      this.problem = problem;
      this.tell();
    }
  }

  private _request = 0;
}

/** The excerpt, divided at its marks. They count characters, and JavaScript's strings count UTF-16 units. */
export function partsOf({ excerpt, marks }: MemoryMatch): IExcerptPart[] {
  const characters = [...excerpt];
  const parts: IExcerptPart[] = [];
  const add = (start: number, end: number | undefined, isHit: boolean) => {
    const text = characters.slice(start, end).join('');
    if (text) {
      parts.push({ text, isHit });
    }
  };
  let at = 0;
  for (const [start, end] of marks as [number, number][]) {
    add(at, start, false);
    add(start, end, true);
    at = end;
  }
  add(at, undefined, false);
  return parts;
}

/** Where a line of a text begins and ends; that of the last line if there are fewer. `line`: counted from 1. */
export function placeOfLine(text: string, line: number): [number, number] {
  let start = 0;
  for (let number = 1; number < line; number += 1) {
    const next = text.indexOf('\n', start) + 1;
    if (!next) {
      break;
    }
    start = next;
  }
  const end = text.indexOf('\n', start);
  return [start, end < 0 ? text.length : end];
}
