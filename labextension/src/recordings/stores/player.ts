/**
 * Plays a tape on a screen: its position, its speed, and which events are due. It has no clock and no DOM:
 * the panel tells how much time has passed.
 */
import { eventsUntil, EMPTY_TIMELINE, partAt, type IPart, type ITimeline } from './asciicast';
import { Store } from '../../shared/store';
import type { Size } from '../../api/types';

/** Times the recording’s own speed. */
export const SPEEDS = [0.5, 1, 1.5, 2, 4, 8] as const;
/** In seconds: what lasts longer without output is shortened to it. */
export const LONGEST_IDLE = 2;
/** In seconds, for the arrow keys. */
export const STEP = 5;

/** What is played on. Calls take effect in the order they come. */
export interface IPlayerScreen {
  resize(size: Size): void;
  reset(): void;
  write(text: string): void;
}

/** Tells with `changed` after each step, also while it plays. */
export class Player extends Store {
  constructor(private readonly _screen: IPlayerScreen) {
    super();
  }

  timeline: ITimeline = EMPTY_TIMELINE;
  /** Seconds since the tape's begin. */
  at = 0;
  playing = false;
  speed = 1;
  /** Long waits are shortened. */
  squeezed = true;

  get ended(): boolean {
    return this.at >= this.timeline.seconds;
  }

  /** A tape is there: it plays at once. Later more of it; what is shown stays. */
  load(timeline: ITimeline): void {
    const shown = this.timeline.events[this._next - 1];
    const isFirst = this.timeline.parts.length === 0;
    this.timeline = timeline;
    const same = timeline.events[this._next - 1];
    // The oldest part of a recording that continues may be gone by now.
    const isOther = shown && (same?.at !== shown.at || same.data !== shown.data);
    if (timeline.parts.length && (isFirst || isOther)) {
      this._show(isFirst ? 0 : Math.min(this.at, timeline.seconds));
    }
    this.playing ||= isFirst && timeline.seconds > 0;
    this.tell();
  }

  toggle(): void {
    if (!this.playing && this.ended) {
      this._show(0);
    }
    this.playing = !this.playing && this.timeline.parts.length > 0;
    this.tell();
  }

  seek(at: number): void {
    if (this.timeline.parts.length) {
      this._show(Math.min(Math.max(0, at), this.timeline.seconds));
      this.tell();
    }
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.tell();
  }

  faster(by: 1 | -1): void {
    const index = SPEEDS.indexOf(this.speed as (typeof SPEEDS)[number]) + by;
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, index))]);
  }

  squeeze(squeezed: boolean): void {
    this.squeezed = squeezed;
    this.tell();
  }

  /** So much time has passed, in seconds. */
  tick(passed: number): void {
    if (!this.playing) {
      return;
    }
    let left = passed * this.speed;
    while (left > 0 && !this.ended) {
      const until = this._nextAt();
      const gap = until - this._lastAt();
      const hurry = this.squeezed && gap > LONGEST_IDLE ? gap / LONGEST_IDLE : 1;
      const step = Math.min(left * hurry, until - this.at);
      this._advance(step < until - this.at ? this.at + step : until);
      left -= step / hurry;
    }
    if (this.ended) {
      this.playing = false;
    }
    this.tell();
  }

  /** When the next thing happens, or the end. */
  private _nextAt(): number {
    return this.timeline.events[this._next]?.at ?? this.timeline.seconds;
  }

  private _lastAt(): number {
    return this.timeline.events[this._next - 1]?.at ?? 0;
  }

  /** Advance to a later time: due events are written at once. */
  private _advance(at: number): void {
    const part = partAt(this.timeline, at);
    if (part.first !== this._part || part.at > this.at) {
      this._begin(part);
    }
    this._write(this._next, eventsUntil(this.timeline, at));
    this.at = at;
  }

  /** The screen as it was: the part's begin, and everything in it up to then. */
  private _show(at: number): void {
    const part = partAt(this.timeline, at);
    this._begin(part);
    this._write(part.first, eventsUntil(this.timeline, at));
    this.at = at;
  }

  private _begin({ first, size }: IPart): void {
    this._part = first;
    this._screen.reset();
    this._screen.resize(size);
  }

  private _write(first: number, end: number): void {
    let text = '';
    for (const event of this.timeline.events.slice(first, end)) {
      if (event.kind === 'output') {
        text += event.data;
      } else if (event.size) {
        this._screen.write(text);
        text = '';
        this._screen.resize(event.size);
      }
    }
    if (text) {
      this._screen.write(text);
    }
    this._next = Math.max(first, end);
  }

  private _part = 0; // the first event of the part that is shown
  private _next = 0;
}
