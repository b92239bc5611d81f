/**
 * Names that an agent lists, of skills or of tool servers, as a form has them. Pure.
 */
import { canonical, type Fields } from './personaText';

/** In the order of the file. */
export type Names = readonly string[];

/** Null: what the file has there a form cannot show. */
export function namesIn(fields: Fields, field: string): Names | null {
  const value = canonical(fields)[field];
  if (value === undefined || value === null) {
    return [];
  }
  return Array.isArray(value) && value.every(each => typeof each === 'string') ? value : null;
}

/** One name more, at the end, or one less. */
export function withName(names: Names, name: string, isOn: boolean): Names {
  const others = names.filter(each => each !== name);
  return isOn ? [...others, name] : others;
}
