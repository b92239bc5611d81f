/**
 * What the state of a tool server and of its tools is called, and how a form writes its command. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { NewToolServer, OfferedTool, ToolServer, ToolServerChange } from '../../api/types';
import type { StateIcon } from '../../shared/stateIcon';
import { visible } from '../../shared/untrusted';

export function serverLabel(
  { problem, tools }: ToolServer,
  trans: TranslationBundle
): { icon: StateIcon; label: string } {
  const count = tools.filter(({ state }) => state === 'approved').length;
  if (problem) {
    return { icon: 'error', label: trans.__('Does not start') };
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

/** How many agents have it. */
export function users({ agents, tools }: ToolServer, trans: TranslationBundle): string {
  const count = agents.length;
  if (!tools.some(({ state }) => state === 'approved')) {
    return trans.__('No agent has it until a person has approved some of its tools.');
  }
  return count
    ? trans._n('1 agent has it.', '%1 agents have it.', count, count)
    : trans.__('No agent has it yet. Choose it in the persona of an agent.');
}

/** What happens if it is removed. */
export function removalWords({ agents }: ToolServer, trans: TranslationBundle): string {
  const deleted = trans.__('The values of its variables are deleted.');
  return agents.length
    ? `${deleted} ${trans.__('These agents lose its tools: %1.', agents.map(visible).join(', '))}`
    : deleted;
}

/** A form of a tool server: a line for each argument and each variable. */
export interface IServerDraft {
  name: string;
  program: string;
  arguments: string;
  environment: string;
  shared: boolean;
}

export function draftOf(server: ToolServer | null): IServerDraft {
  const [program = '', ...rest] = server?.command ?? [];
  return {
    name: server?.name ?? '',
    program,
    arguments: rest.join('\n'),
    environment: (server?.variables ?? []).map(name => `${name}=`).join('\n'),
    shared: server?.shared ?? false
  };
}

export function newServer(draft: IServerDraft): NewToolServer {
  return {
    name: draft.name.trim(),
    program: draft.program.trim(),
    arguments: linesOf(draft.arguments),
    environment: Object.fromEntries(
      variablesOf(draft.environment).map(([name, value]) => [name, value ?? ''])
    ),
    shared: draft.shared
  };
}

/** `known`: names of variables that have a value, which an empty one keeps. Only what differs is sent. */
export function changeOf(draft: IServerDraft, before: ToolServer): ToolServerChange {
  const was = draftOf(before);
  const known = new Set(before.variables);
  const change: ToolServerChange = {};
  if (draft.program.trim() !== was.program || draft.arguments !== was.arguments) {
    change.program = draft.program.trim();
    change.arguments = linesOf(draft.arguments);
  }
  if (draft.environment !== was.environment) {
    change.environment = Object.fromEntries(
      variablesOf(draft.environment).map(([name, value]) => [
        name,
        value === '' && known.has(name) ? null : value
      ])
    );
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

function variablesOf(text: string): [string, string][] {
  return linesOf(text).map(line => {
    const [name, ...value] = line.split('=');
    return [name.trim(), value.join('=')];
  });
}
