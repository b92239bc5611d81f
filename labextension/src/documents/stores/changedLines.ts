/**
 * Which lines of a document a run has written. Pure.
 */
import type { FileDiff } from '../../api/types';

/** `number` from 1, of the text or of the cell with this id; `cell` is empty for a text. */
export interface IChangedLine {
  cell: string;
  number: number;
  text: string;
}

export function changedLines({ parts, path }: FileDiff): IChangedLine[] {
  const isNotebook = path.endsWith('.ipynb');
  return parts.flatMap(part => {
    const found: IChangedLine[] = [];
    let number = part.new_start;
    for (const { sign, text } of part.lines) {
      if (sign === '+') {
        found.push({ cell: isNotebook ? part.id : '', number, text });
      }
      number += sign === '-' ? 0 : 1;
    }
    return found;
  });
}
