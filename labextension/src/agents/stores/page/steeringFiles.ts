/**
 * The files that steer an agent, in the order in which a person begins them, what each does, and who may change the one
 * that all agents share. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import { PROGRAM } from '../../../shared/programs';
import { isOwner, whyNot, type IPerson } from '../rights';

export const PERSONA = 'persona.md';
export const SOUL = 'SOUL.md';
/** One of each for all agents. */
export const USER_FILE = 'USER.md';
export const PROTOCOL_FILE = 'PROTOCOL.md';
export const SHARED_FILES: readonly string[] = [USER_FILE, PROTOCOL_FILE];

export const STEERING_FILES = [
  PERSONA,
  SOUL,
  'HEARTBEAT.md',
  'TOOLS.md',
  'memory/MEMORY.md',
  USER_FILE,
  PROTOCOL_FILE,
  'GUIDE.md'
] as const;
export type SteeringFile = (typeof STEERING_FILES)[number];

export function purposeOf(file: SteeringFile, trans: TranslationBundle): string {
  const purposes: Record<SteeringFile, string> = {
    [PERSONA]: trans.__('Its role, tools, schedule and limits, and its instructions.'),
    [SOUL]: trans.__('Its character: how it speaks and makes decisions.'),
    'HEARTBEAT.md': trans.__('A short checklist for each heartbeat.'),
    'TOOLS.md': trans.__(
      'Its environment: where things are, and which commands and services it can use.'
    ),
    'memory/MEMORY.md': trans.__('Facts it should always know.'),
    [USER_FILE]: trans.__('Facts about the people here. Every agent receives it.'),
    [PROTOCOL_FILE]: trans.__('How the agents here work together. Every agent receives it.'),
    'GUIDE.md': trans.__(
      'Notes for people about what belongs in which file. The agent does not receive it.'
    )
  };
  return purposes[file];
}

/** Why this person cannot change a file that all agents share; null: they can. */
export function whyNotShared(who: IPerson, trans: TranslationBundle): string | null {
  const why = whyNot(null, who, trans);
  if (why !== null || isOwner({ owner: PROGRAM }, who)) {
    return why;
  }
  return trans.__('Every agent receives this file, so only an administrator can change it.');
}
