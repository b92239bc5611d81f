/**
 * What the state of a tool server and of its tools is called, and how a form writes its command. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type {
  NewToolServer,
  OfferedTool,
  ToolServer,
  ToolServerChange,
  ToolServerOfCli
} from '../../api/types';
import type { StateIcon } from '../../shared/stateIcon';
import { visible } from '../../shared/untrusted';

export function serverLabel(
  { address, problem, tools }: ToolServer,
  trans: TranslationBundle
): { icon: StateIcon; label: string } {
  const count = tools.filter(({ state }) => state === 'approved').length;
  if (problem) {
    return {
      icon: 'error',
      label: address ? trans.__('Cannot be used') : trans.__('Does not start')
    };
  }
  if (tools.some(({ state }) => state === 'changed')) {
    return { icon: 'warning', label: trans.__('Changed since it was approved') };
  }
  return count
    ? { icon: 'success', label: trans._n('1 tool approved', '%1 tools approved', count, count) }
    : { icon: 'question', label: trans.__('No tool approved') };
}

export function toolLabel(
  { state }: OfferedTool,
  trans: TranslationBundle
): { icon: StateIcon; label: string } {
  switch (state) {
    case 'approved':
      return { icon: 'success', label: trans.__('Approved') };
    case 'changed':
      return { icon: 'warning', label: trans.__('Changed since it was approved') };
    case 'gone':
      return { icon: 'square', label: trans.__('No longer offered') };
    default:
      return { icon: 'question', label: trans.__('Not approved') };
  }
}

/** Whether runs without an agent have a tool server of a CLI. */
export function useLabel(use: ToolServerOfCli['use'], trans: TranslationBundle): string {
  switch (use) {
    case 'yes':
      return trans.__('Runs without an agent use it');
    case 'if_trusted':
      return trans.__('Runs without an agent use it if you have trusted the folder in the CLI');
    default:
      return trans.__('Switched off');
  }
}

/** How many agents have it. */
export function users({ agents, tools }: ToolServer, trans: TranslationBundle): string {
  const count = agents.length;
  if (!tools.some(({ state }) => state === 'approved')) {
    return trans.__('No agent has it until a person has approved some of its tools.');
  }
  return count
    ? trans._n('1 agent has it.', '%1 agents have it.', count, count)
    : trans.__('No agent has it yet. To give it to an agent, tick it on the agent’s tab Persona.');
}

/** What happens if it is removed. */
export function removalWords({ address, agents }: ToolServer, trans: TranslationBundle): string {
  const deleted = address
    ? trans.__('The values of its headers are deleted.')
    : trans.__('The values of its variables are deleted.');
  return agents.length
    ? `${deleted} ${trans.__('These agents lose its tools: %1.', agents.map(visible).join(', '))}`
    : deleted;
}

/** A form of a tool server: a line for each argument, each variable and each header. */
export interface IServerDraft {
  name: string;
  /** Started by a program on the server, or reached at an address. */
  kind: 'program' | 'address';
  program: string;
  arguments: string;
  environment: string;
  address: string;
  headers: string;
  shared: boolean;
}

export function draftOf(server: ToolServer | null): IServerDraft {
  if (server === null) {
    return {
      name: '',
      kind: 'program',
      program: '',
      arguments: '',
      environment: '',
      address: '',
      headers: '',
      shared: false
    };
  }
  const [program = '', ...rest] = server.command;
  return {
    name: server.name,
    kind: server.address ? 'address' : 'program',
    program,
    arguments: rest.join('\n'),
    environment: server.variables.map(name => `${name}=`).join('\n'),
    address: server.address,
    headers: server.headers.map(name => `${name}: `).join('\n'),
    shared: server.shared
  };
}

/** Whether enough is written. */
export function isComplete({ address, kind, name, program }: IServerDraft): boolean {
  return name.trim() !== '' && (kind === 'program' ? program : address).trim() !== '';
}

export function newServer(draft: IServerDraft): NewToolServer {
  const about = { name: draft.name.trim(), shared: draft.shared };
  if (draft.kind === 'address') {
    const headers = Object.fromEntries(pairsOf(draft.headers, ':'));
    return { ...about, address: draft.address.trim(), headers };
  }
  return {
    ...about,
    program: draft.program.trim(),
    arguments: linesOf(draft.arguments),
    environment: Object.fromEntries(pairsOf(draft.environment, '='))
  };
}

/** Only what differs is sent. A variable or a header that has a value keeps it if none is written. */
export function changeOf(draft: IServerDraft, before: ToolServer): ToolServerChange {
  const was = draftOf(before);
  const change: ToolServerChange = {};
  if (draft.address.trim() !== was.address) {
    change.address = draft.address.trim();
  }
  if (draft.headers !== was.headers) {
    change.headers = kept(pairsOf(draft.headers, ':'), before.headers);
  }
  if (draft.program.trim() !== was.program || draft.arguments !== was.arguments) {
    change.program = draft.program.trim();
    change.arguments = linesOf(draft.arguments);
  }
  if (draft.environment !== was.environment) {
    change.environment = kept(pairsOf(draft.environment, '='), before.variables);
  }
  if (draft.shared !== was.shared) {
    change.shared = draft.shared;
  }
  return change;
}

/** An argument may be long, so it is a line; empty lines are none. */
function linesOf(text: string): string[] {
  return text.split('\n').filter(line => line !== '');
}

function pairsOf(text: string, mark: '=' | ':'): [string, string][] {
  return linesOf(text).map(line => {
    const [name, ...rest] = line.split(mark);
    const value = rest.join(mark);
    return [name.trim(), mark === ':' ? value.trim() : value];
  });
}

function kept(pairs: [string, string][], known: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, value === '' && known.includes(name) ? null : value])
  );
}
