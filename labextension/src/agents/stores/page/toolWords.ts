/**
 * What each tool of an agent lets it do, in a few words. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ToolSet } from './tools';

export function toolSetWords(set: ToolSet, trans: TranslationBundle): string {
  switch (set) {
    case '':
      return trans.__('The usual tools, without a shell');
    case 'none':
      return trans.__('No tools');
    case 'coding':
      return trans.__('Tools for coding, with a shell');
    case 'messaging':
      return trans.__('Memory, earlier runs and messages only');
    case 'full':
      return trans.__('All tools of the runtime');
    case 'custom':
      return trans.__('Only the selected tools');
  }
}

export function toolWords(tool: string, trans: TranslationBundle): string {
  const words: Readonly<Record<string, string>> = {
    Read: trans.__('reads files'),
    Glob: trans.__('finds files by name'),
    Grep: trans.__('searches in files'),
    Edit: trans.__('changes files and notebooks'),
    Write: trans.__('creates and replaces files'),
    Bash: trans.__('runs commands in a shell'),
    WebSearch: trans.__('searches the web'),
    WebFetch: trans.__('reads web pages'),
    'cabinet:memory': trans.__(
      'reads and writes its own memory, writes skills that a person approves'
    ),
    'cabinet:sessions': trans.__('reads its earlier runs'),
    'cabinet:messaging': trans.__('sends messages, gives tasks, posts to people')
  };
  return words[tool] ?? trans.__('unknown tool');
}
