/**
 * The agents that a text mentions. Pure; `jupyter_cabinet/agents/directives/posts.py` finds the same ones.
 */
const MENTION = /(?<![\w@./-])@([a-z0-9][a-z0-9-]{0,63})(?![\w@-])/g;
/** Longer texts, such as a whole memory, are searched only so far. */
const MOST_CHARACTERS = 200_000;
/** More would hide the text itself. */
export const MOST_MENTIONED = 20;

/** Slugs, each once, in order, whether or not there are such agents. Email addresses are no mentions. */
export function mentionsIn(text: string): string[] {
  const found = [...text.slice(0, MOST_CHARACTERS).matchAll(MENTION)].map(([, slug]) =>
    slug.replace(/-+$/, '')
  );
  return [...new Set(found)];
}
