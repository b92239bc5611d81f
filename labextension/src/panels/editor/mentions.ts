/**
 * Completion of `@mentions` in the composer, from the server's list of files.
 */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';

import type { Mention } from '../../api/types';
import { visible } from '../../state/untrusted';

/** A mention begins at a line's start or after white space. */
const MENTION = /(?:^|\s)@([^\s@]*)$/;

export function mentionAt(textBefore: string): string | null {
  return MENTION.exec(textBefore)?.[1] ?? null;
}

export interface IMentionSource {
  find: (query: string) => Promise<Mention[]>;
  groupTitle: string;
  /** Tell that nothing matches; null when something does. */
  onNone: (query: string | null) => void;
}

export function mentionCompletions(source: IMentionSource) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const line = context.state.doc.lineAt(context.pos);
    const query = mentionAt(line.text.slice(0, context.pos - line.from));
    if (query === null) {
      source.onNone(null);
      return null;
    }
    const items = await source.find(query).catch(() => []);
    source.onNone(items.length || !query ? null : query);
    if (context.aborted || !items.length) {
      return null;
    }
    const section = { name: source.groupTitle };
    const options = items.map((item): Completion => {
      const name = item.path.split('/').pop()!;
      const folder = item.path.slice(0, -name.length);
      return {
        label: `@${item.path}`,
        displayLabel: visible(item.title || name),
        detail: visible([folder, item.note].filter(part => part).join(' ')),
        apply: `@${item.path} `,
        type: 'text',
        section
      };
    });
    return { from: context.pos - query.length - 1, options, filter: false };
  };
}
