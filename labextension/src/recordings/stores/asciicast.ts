/**
 * A recording as one line of time: asciicast v2 parts, one after the other. Pure.
 * Source: docs.asciinema.org/manual/asciicast/v2. A line that is torn or not understood is passed over.
 */
import type { Size } from '../../api/types';

/** Something that happens at one moment of a recording. */
export interface ICastEvent {
  /** Seconds since the recording's first part that is kept. */
  at: number;
  kind: 'output' | 'size' | 'mark';
  data: string;
  size?: Size;
}

/** One file of a recording in the line of time. */
export interface IPart {
  /** Where it begins, in seconds and among the events. */
  at: number;
  first: number;
  size: Size;
}

/** All that was read of a recording, in order. */
export interface ITimeline {
  events: ICastEvent[];
  parts: IPart[];
  seconds: number;
}

/** Before the first part is read. */
export const EMPTY_TIMELINE: ITimeline = { events: [], parts: [], seconds: 0 };
const DEFAULT_SIZE: Size = { cols: 80, rows: 24 };
/** What was said to be recorded when a file begins: nothing recorded is larger than this. */
const MOST_CHARACTERS = 1000;

/** The tape with one more part. `seconds`: how long the part lasts, where that is longer than its events. */
export function withPart(timeline: ITimeline, text: string, seconds = 0): ITimeline {
  const [header, ...lines] = text.split('\n');
  const begin = timeline.seconds;
  const part: IPart = { at: begin, first: timeline.events.length, size: headerSize(header) };
  const events = lines
    .map(line => readEvent(line, begin))
    .filter((event): event is ICastEvent => event !== null);
  const last = events.length ? events[events.length - 1].at - begin : 0;
  return {
    events: [...timeline.events, ...events],
    parts: [...timeline.parts, part],
    seconds: begin + Math.max(seconds, last)
  };
}

function headerSize(line: string): Size {
  const header = parsed(line) as { width?: unknown; height?: unknown } | null;
  return sizeOf(header?.width, header?.height) ?? DEFAULT_SIZE;
}

function readEvent(line: string, begin: number): ICastEvent | null {
  const found = parsed(line);
  if (!Array.isArray(found) || found.length < 3) {
    return null;
  }
  const [at, code, data] = found as unknown[];
  if (typeof at !== 'number' || !(at >= 0) || typeof data !== 'string') {
    return null;
  }
  switch (code) {
    case 'o':
      return { at: begin + at, kind: 'output', data };
    case 'm':
      return { at: begin + at, kind: 'mark', data };
    case 'r': {
      const [cols, rows] = data.split('x').map(Number);
      const size = sizeOf(cols, rows);
      return size && { at: begin + at, kind: 'size', data, size };
    }
    default:
      return null; // typed input, and what a later version may have
  }
}

function sizeOf(cols: unknown, rows: unknown): Size | null {
  const isSize = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) > 0 && Number(value) <= MOST_CHARACTERS;
  return isSize(cols) && isSize(rows) ? { cols, rows } : null;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** The part that is shown at this time. */
export function partAt(timeline: ITimeline, at: number): IPart {
  return timeline.parts.reduce((found, part) => (part.at <= at ? part : found), timeline.parts[0]);
}

/** How many events there are up to this time, itself included. */
export function eventsUntil(timeline: ITimeline, at: number): number {
  let [low, high] = [0, timeline.events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeline.events[middle].at <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Where the runs in it begin. */
export function marks(timeline: ITimeline): ICastEvent[] {
  return timeline.events.filter(event => event.kind === 'mark');
}
