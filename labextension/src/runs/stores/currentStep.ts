/**
 * What a run does now, in one short phrase, from what it has told last. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Row } from './output';

const LONGEST = 80;

/** "Bash: make test" while it uses a tool, and after it until something else begins. Empty before it has begun. */
export function currentStep(rows: readonly Row[], trans: TranslationBundle): string {
  const last = [...rows].reverse().find(({ kind }) => kind !== 'prompt' && kind !== 'warning');
  switch (last?.kind) {
    case 'tool': {
      const summary = last.summary.trim().split('\n')[0];
      return short(summary ? trans.__('%1: %2', last.tool, summary) : last.tool);
    }
    case 'question':
      return last.answered ? short(last.tool) : trans.__('Asking a question');
    case 'text':
      return trans.__('Writing');
    case 'thinking':
      return trans.__('Thinking');
    case 'retry':
      return trans.__('Trying again');
    case 'started':
      return trans.__('Starting');
    default:
      return '';
  }
}

function short(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
