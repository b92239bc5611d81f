/**
 * Which skills an agent lists, as a form has it. Pure.
 */
import { canonical, type Fields } from './personaText';

/** In the order of the file. */
export type Skills = readonly string[];

/** Null: what the file has there a form cannot show. */
export function skillsIn(fields: Fields): Skills | null {
  const { skills } = canonical(fields);
  if (skills === undefined || skills === null) {
    return [];
  }
  return Array.isArray(skills) && skills.every(each => typeof each === 'string') ? skills : null;
}

/** An agent without skills has no such field. */
export function skillFields(skills: Skills): Record<string, unknown> {
  return { skills: skills.length ? skills : null };
}

/** One skill more, at the end, or one less. */
export function withSkill(skills: Skills, name: string, isOn: boolean): Skills {
  const others = skills.filter(each => each !== name);
  return isOn ? [...others, name] : others;
}
