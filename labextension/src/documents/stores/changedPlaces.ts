/**
 * Where a run has changed a document, as places that a person can go to. Pure.
 */
import type { FileDiff } from '../../api/types';

type DiffPart = FileDiff['parts'][number];

/** `number` from 1. */
export interface IWrittenLine {
  number: number;
  text: string;
}

/** Lines of a text that belong together, or one cell of a notebook. */
export interface IChangedPlace {
  /** The id of the cell; empty for a text. */
  cell: string;
  /** Whether the cell was deleted: `cell` is the one above it, empty if it was the first. */
  isDeleted?: boolean;
  /** The id of the diff's part that it belongs to: decisions are made about parts. */
  part: string;
  /** What the run has written; empty if it has only removed lines, or changed a cell's outputs. */
  lines: readonly IWrittenLine[];
  /** The first line of the change, from 1. If lines were only removed, the line that followed them. */
  first: number;
  /** The lines around it. `null`: the text begins or ends here, or the diff does not show the line. */
  before: string | null;
  after: string | null;
}

/** Gives the text of a line from 1; `null` if the text has no such line. */
export type LineAt = (number: number) => string | null;

export function changedPlaces({ parts, path }: FileDiff): IChangedPlace[] {
  return path.endsWith('.ipynb') ? changedCells(parts) : parts.flatMap(changesOfText);
}

/** The lines of a long cell come in several parts. Parts of a notebook that was added have no ids. */
function changedCells(parts: readonly DiffPart[]): IChangedPlace[] {
  const ids = new Set(parts.map(({ id }) => id).filter(id => id !== ''));
  return [...ids].map(id => {
    const groups = parts.filter(part => part.id === id).flatMap(changesOfText);
    const lines = groups.flatMap(group => group.lines);
    const first = groups[0]?.first ?? 1;
    const above = parts.find(part => part.id === id)!.deleted_after;
    const cell = above === null ? { cell: id } : { cell: above, isDeleted: true };
    return { ...cell, part: id, lines, first, before: null, after: null };
  });
}

/** The cell of a place in a notebook, of a deleted cell its neighbour; -1 if it is not there. The server numbers cells that have no id: "#3". */
export function cellIndexOf({ cell, isDeleted }: IChangedPlace, ids: readonly string[]): number {
  if (isDeleted && cell === '') {
    return Math.min(0, ids.length - 1);
  }
  const number = /^#(\d+)$/.exec(cell)?.[1];
  const index = number === undefined ? ids.indexOf(cell) : Number(number) - 1;
  return index < ids.length ? index : -1;
}

function changesOfText({ id, lines, new_start }: DiffPart): IChangedPlace[] {
  const found: IChangedPlace[] = [];
  let number = new_start;
  let before: string | null = null;
  let open: IWrittenLine[] | null = null; // of the change that is being read
  const close = (after: string | null) => {
    if (open) {
      const first = number - open.length;
      found.push({ cell: '', part: id, lines: open, first, before, after });
      open = null;
    }
  };
  for (const { sign, text } of lines) {
    if (sign === ' ') {
      close(text);
      before = text;
    } else {
      open ??= [];
    }
    if (sign === '+') {
      open!.push({ number, text });
    }
    number += sign === '-' ? 0 : 1;
  }
  close(null);
  return found;
}

/** Whether a text has these lines, moved down by `shift`: the file may be read into the editor later. */
export function standsIn(place: IChangedPlace, lineAt: LineAt, shift = 0): boolean {
  const { after, before, first, lines } = place;
  if (lines.length > 0) {
    return lines.every(({ number, text }) => lineAt(number + shift) === text);
  }
  const isThere = (text: string | null, number: number) => text === null || lineAt(number) === text;
  return isThere(before, first + shift - 1) && isThere(after, first + shift);
}
