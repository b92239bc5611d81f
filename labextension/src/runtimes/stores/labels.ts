/**
 * What is said of an agent CLI: what it can do, in the words of `jupyter cabinet doctor`, and how its test ended. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Capabilities, PermissionMode, Run, RuntimeRow } from '../../api/types';
import { isFinal, cost, elapsed, queuePosition } from '../../runs';
import { visible } from '../../shared/untrusted';
import { duration } from '../../shared/time';

/** "works in the background, works in a terminal, resumes earlier sessions" */
export function abilities(can: Capabilities, trans: TranslationBundle): string[] {
  const words: [keyof Capabilities, string][] = [
    ['headless', trans.__('works in the background')],
    ['interactive', trans.__('works in a terminal')],
    ['resume', trans.__('resumes earlier sessions')],
    ['finish_signal', trans.__('reports when it has answered')],
    ['questions', trans.__('in the background: can ask before acting')],
    ['blocking_hooks', trans.__('in a terminal: can ask before acting')],
    ['allowed_tools', trans.__('can be limited to certain tools')],
    ['mcp', trans.__('uses tool servers')],
    ['system_prompt', trans.__('accepts a system prompt')],
    ['cost', trans.__('reports its cost')]
  ];
  return words.filter(([name]) => can[name]).map(([, word]) => word);
}

/** Which questions it can ask, from the most careful mode on. */
export function modeText(
  { permission_modes: modes }: Capabilities,
  trans: TranslationBundle
): string {
  return modes.map(mode => permissionLabel(mode, trans)).join(', ');
}

/** Whether somebody is logged in, and what to do where nobody is. */
export function loginText(
  { login, login_hint: hint }: RuntimeRow,
  trans: TranslationBundle
): string {
  switch (login) {
    case 'yes':
      return trans.__('Logged in');
    case 'no':
      return hint ? trans.__('Not logged in. %1', visible(hint)) : trans.__('Not logged in');
    case 'unknown':
      return trans.__('Unknown until the first answer');
  }
}

/** "Running, 4 s" · "Answered: OK, 3.2 s, $0.01" · the failure's sentence. */
export function testText(run: Run, now: Date, trans: TranslationBundle): string {
  if (run.state === 'queued') {
    return run.position === null
      ? trans.__('Queued')
      : trans.__('Queued, %1', queuePosition(run.position, trans));
  }
  if (!isFinal(run)) {
    const time = duration(elapsed(run, now) ?? 0, trans);
    return run.state === 'waiting'
      ? trans.__('Waiting: %1', visible(run.reason))
      : trans.__('Running, %1', time);
  }
  return endText(run, trans);
}

function endText(run: Run, trans: TranslationBundle): string {
  if (run.state !== 'succeeded') {
    return visible(run.failure?.message || run.reason) || trans.__('It did not answer.');
  }
  const answer = firstText(visible(run.result?.text.trim() ?? '')) || trans.__('nothing');
  const time = trans.__('%1 s', (run.duration_seconds ?? 0).toFixed(1));
  return trans.__(
    'Answered: %1, %2, %3',
    answer,
    time,
    cost(run.cost_usd) ?? trans.__('cost unknown')
  );
}

const MOST = 80;

/** OK is asked for; who talks on is cut. */
function firstText(text: string): string {
  const characters = [...text.split('\n')[0]];
  return characters.length > MOST
    ? `${characters.slice(0, MOST).join('').trimEnd()}…`
    : characters.join('');
}

/** "2.1.329, at /usr/bin/claude" */
export function foundText({ path, version }: RuntimeRow, trans: TranslationBundle): string {
  return version
    ? trans.__('%1, at %2', visible(version), visible(path ?? ''))
    : visible(path ?? '');
}

/** A permission mode as the interface calls it. */
export function permissionLabel(mode: PermissionMode, trans: TranslationBundle): string {
  switch (mode) {
    case 'ask':
      return trans.__('Ask first');
    case 'edit':
      return trans.__('Edit files');
    case 'bypass':
      return trans.__('No questions');
  }
}
