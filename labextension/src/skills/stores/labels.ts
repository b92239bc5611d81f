/**
 * What the state of a skill and of its files is called. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { SkillDetail, SkillFile, SkillRow } from '../../api/types';
import { size as sizeOf } from '../../shared/size';
import type { StateIcon } from '../../shared/stateIcon';

export const MAIN_FILE = 'SKILL.md';

export function stateLabel(
  { state }: SkillRow,
  trans: TranslationBundle
): { icon: StateIcon; label: string } {
  switch (state) {
    case 'approved':
      return { icon: 'success', label: trans.__('Approved') };
    case 'changed':
      return { icon: 'warning', label: trans.__('Changed since it was approved') };
    case 'rejected':
      return { icon: 'square', label: trans.__('Rejected') };
    case 'invalid':
      return { icon: 'error', label: trans.__('Not valid') };
    default:
      return { icon: 'question', label: trans.__('Not approved') };
  }
}

/** What follows from the state, in a sentence. */
export function consequence({ agents, state }: SkillRow, trans: TranslationBundle): string {
  const count = agents.length;
  switch (state) {
    case 'approved':
      return count
        ? trans._n('1 agent has it.', '%1 agents have it.', count, count)
        : trans.__(
            'No agent has it yet. To give it to an agent, tick it on the agent’s tab Persona.'
          );
    case 'changed':
      return trans.__('No agent gets it until a person has approved the files as they are now.');
    case 'rejected':
      return trans.__('No agent gets it.');
    case 'invalid':
      return trans.__('No agent gets it, and it cannot be approved.');
    default:
      return trans.__('No agent gets it until a person has looked at its files and approved it.');
  }
}

/** How many files, how large, where from. */
export function facts({ files, size, source }: SkillRow, trans: TranslationBundle): string {
  const parts = [trans._n('1 file', '%1 files', files, files), sizeOf(size), source];
  return parts.filter(Boolean).join(' · ');
}

export function hiddenLabel(
  { hidden_characters: count }: SkillDetail,
  trans: TranslationBundle
): string | null {
  return count
    ? trans._n(
        'The files contain 1 invisible character, shown as \\u{…}. It may hide something from you.',
        'The files contain %1 invisible characters, shown as \\u{…}. They may hide something from you.',
        count,
        count
      )
    : null;
}

export function unseenLabel({ unseen }: SkillDetail, trans: TranslationBundle): string | null {
  return unseen.length
    ? trans.__('Not shown whole: %1. Look at them in another editor.', unseen.join(', '))
    : null;
}

/** An invisible character, as the server shows it. */
const ESCAPED = /\\u\{[0-9a-f]+\}/i;

/** Why the form cannot edit SKILL.md without a loss, as a sentence; null: it can. */
export function whyNotEdit(skill: SkillDetail, trans: TranslationBundle): string | null {
  const main = skill.contents.find(({ path }) => path === MAIN_FILE);
  if (!main || main.text === null || main.cut) {
    return trans.__('Its text cannot be shown whole. Edit %1 in another editor.', skill.file);
  }
  return skill.hidden_characters && ESCAPED.test(main.text)
    ? trans.__('It contains invisible characters. Edit %1 in another editor.', skill.file)
    : null;
}

export function fileNote({ change, script }: SkillFile, trans: TranslationBundle): string {
  const changes = {
    same: '',
    added: trans.__('new'),
    changed: trans.__('changed'),
    removed: trans.__('removed')
  };
  const parts = [script ? trans.__('script, only for isolated runs') : '', changes[change]];
  return parts.filter(Boolean).join(' · ');
}
