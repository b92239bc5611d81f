/**
 * What is said about an agent before it is imported. Without DOM.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ArrivingAgent } from '../../api/types';

type Skill = ArrivingAgent['skills'][number];
type System = ArrivingAgent['system'];
type Play = ArrivingAgent['plays'][number];

/** Names and values, without those that say nothing. */
export function arrivingFacts(agent: ArrivingAgent, trans: TranslationBundle): [string, string][] {
  const facts: [string, string][] = [
    [trans.__('Seems to be'), systemWords(agent.system, trans)],
    [trans.__('Role'), agent.role],
    [trans.__('Runtime'), agent.runtime ?? trans.__('The default of this server')],
    [trans.__('Schedule'), agent.schedule || trans.__('None')],
    [trans.__('Tool servers'), agent.tool_servers.map(({ name }) => name).join(', ')],
    [trans.__('Memory'), memoryWords(agent.memory, trans)],
    [trans.__('Exported by'), agent.cabinet && trans.__('Jupyter Cabinet %1', agent.cabinet)]
  ];
  return facts.filter(([, value]) => value);
}

function systemWords(system: System, trans: TranslationBundle): string {
  const words: Record<System, string> = {
    cabinet: '',
    gateway: trans.__('The configuration of a gateway for chats'),
    orchestrator: trans.__('An agent of an orchestrator')
  };
  return words[system];
}

/** What each file of another system becomes: file, result, note. First what is used, then what is left out. */
export function convertedWords(
  agent: ArrivingAgent,
  trans: TranslationBundle
): [string, string, string][] {
  const used = agent.converted.filter(({ becomes }) => becomes);
  const left = agent.converted.filter(({ becomes }) => !becomes);
  return [...used, ...left].map(({ becomes, note, path }) => [
    path,
    becomes || trans.__('Left out'),
    note
  ]);
}

function memoryWords(files: number, trans: TranslationBundle): string {
  return files ? trans._n('%1 file', '%1 files', files) : trans.__('Not included');
}

export function arrivingSkillWords(skill: Skill, trans: TranslationBundle): string {
  const scripts = skill.has_scripts ? ` ${trans.__('It contains scripts.')}` : '';
  const words: Record<Skill['state'], string> = {
    new: trans.__('comes along, and waits for approval.') + scripts,
    same: trans.__('is here already.'),
    other: trans.__('is not added: another skill of this name is here.'),
    here: trans.__('is not in the file, but on this server.'),
    missing: trans.__('is neither in the file nor on this server.')
  };
  return words[skill.state];
}

export function arrivingPlayWords(play: Play, trans: TranslationBundle): string {
  const kinds = play.triggers.map(({ type }) => type.replace(/_/g, ' '));
  const starts = [play.schedule, ...kinds.filter(kind => kind !== 'schedule')].filter(Boolean);
  return starts.length
    ? trans.__('%1. Starts: %2.', play.title, starts.join(', '))
    : trans.__('%1. Starts when a person starts it.', play.title);
}
