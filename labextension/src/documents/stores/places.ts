/**
 * Where a proposed change belongs in a text. Pure.
 */
import { lineDiff } from '../../shared/lineDiff';

/** Numbers of lines, from 1. `after`: the line below which the change is shown; 0 above the first one. */
export interface IPlace {
  goes: number[];
  after: number;
}

/** The place of a change in `text`; its beginning if the old lines are no longer in it. */
export function placeOf(text: string, edit: { old: string; new: string }): IPlace {
  const start = edit.old === '' ? (text === '' ? 0 : -1) : text.indexOf(edit.old);
  const place: IPlace = { goes: [], after: 0 };
  if (start < 0) {
    return place;
  }
  let line = text.slice(0, start).split('\n').length;
  for (const { sign } of lineDiff(edit.old, edit.new)) {
    if (sign === '-') {
      place.goes.push(line);
    }
    line += sign === '+' ? 0 : 1;
    if (sign !== ' ') {
      place.after = line - 1;
    }
  }
  return place;
}
