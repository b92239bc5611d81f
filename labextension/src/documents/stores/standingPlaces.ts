/**
 * Which places of a run's changes a document still has, after it was opened. Pure.
 */
import { cellIndexOf, type IChangedPlace, standsIn } from './changedPlaces';

interface ICell {
  id?: string;
  source?: string | string[];
}

/** `text`: of the document's model. Lines that a person has changed or moved since the run are not there. */
export function placesStandingIn(path: string, text: string): (place: IChangedPlace) => boolean {
  return path.endsWith('.ipynb') ? standingInCells(text) : standingInLines(text);
}

function standingInLines(text: string): (place: IChangedPlace) => boolean {
  const lines = text.split('\n');
  return place => standsIn(place, number => lines[number - 1] ?? null);
}

function standingInCells(text: string): (place: IChangedPlace) => boolean {
  const { cells = [] } = JSON.parse(text) as { cells?: ICell[] };
  const ids = cells.map(({ id }) => id ?? '');
  return place => {
    const cell = cells[cellIndexOf(place, ids)];
    const lines = new Set([cell?.source ?? ''].flat().join('').split('\n'));
    return cell !== undefined && place.lines.every(line => lines.has(line.text));
  };
}
