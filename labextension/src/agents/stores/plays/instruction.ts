/**
 * The instruction of a play in its file. Pure.
 */

const FRONT_MATTER = /^---\r?\n[\s\S]*?\r?\n---\r?\n/;

/** The instruction in the file of a play: what follows its fields. */
export function instructionOf(file: string): string {
  return file.replace(FRONT_MATTER, '');
}
