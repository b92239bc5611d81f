/**
 * Completion of `@mentions` in the composer, from the server's list of files.
 */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';

import type { Mention } from '../../api/types';
import { visible } from '../../shared/untrusted';

/** A mention begins at a line's start or after white space; a quoted one may hold blanks. */
const MENTION = /(?:^|\s)@(?:"([^"]*)|([^\s@"]*))$/;

/** What is being written after `@`, and how many characters of the text it takes, all in all. */
export function mentionAt(textBefore: string): { query: string; length: number } | null {
  const found = MENTION.exec(textBefore);
  return found && { query: found[1] ?? found[2], length: found[0].trimStart().length };
}

/** As `jupyter_cabinet/editor/mentions.py` reads it; null: no mention can name this file. */
export function mentionOf(path: string): string | null {
  const isPlain = !/^"|\s|[.,;:!?)\]}'"]$/.test(path);
  return isPlain ? `@${path}` : path.includes('"') ? null : `@"${path}"`;
}

/** Where the files for a mention come from. */
export interface IMentionSource {
  find: (query: string) => Promise<Mention[]>;
  groupTitle: string;
  /** Tell that nothing matches; null when something does. */
  onNone: (query: string | null) => void;
}

/** A CodeMirror completion source that answers behind an @. */
export function mentionCompletions(source: IMentionSource) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const line = context.state.doc.lineAt(context.pos);
    const column = context.pos - line.from;
    const mention = mentionAt(line.text.slice(0, column));
    if (mention === null) {
      source.onNone(null);
      return null;
    }
    const { query, length } = mention;
    const items = await source.find(query).catch(() => []);
    source.onNone(items.length || !query ? null : query);
    if (context.aborted || !items.length) {
      return null;
    }
    const section = { name: source.groupTitle };
    const options = items.flatMap((item): Completion[] => {
      const text = mentionOf(item.path);
      const name = item.path.split('/').pop()!;
      const folder = item.path.slice(0, -name.length);
      const completion = {
        label: `@${item.path}`,
        displayLabel: visible(item.title || name),
        detail: visible([folder, item.note].filter(part => part).join(' ')),
        apply: `${text} `,
        type: 'text',
        section
      };
      return text === null ? [] : [completion];
    });
    // The editor may have closed the quote already.
    const to = context.pos + (line.text[column] === '"' ? 1 : 0);
    return { from: context.pos - length, to, options, filter: false };
  };
}
