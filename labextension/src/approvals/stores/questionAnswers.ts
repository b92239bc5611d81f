/**
 * What a person says to several questions at once. Pure; the agent gets a line for each question.
 */

/** The answer to one question: what was picked of the suggestions, and what was written. */
export type Said = {
  /** Of what the agent suggests. */
  readonly chosen: readonly string[];
  readonly words: string;
};

/** False where nothing was picked and nothing but space was written. */
export function isAnswered(said: Said): boolean {
  return answer(said) !== '';
}

/** A line for each question, in order. */
export function noteOf(said: readonly Said[]): string {
  return said.map(answer).join('\n');
}

function answer({ chosen, words }: Said): string {
  return [...chosen, words.replace(/\s+/g, ' ').trim()].filter(part => part).join(', ');
}
