/**
 * The dialogs in which a person chooses what an export contains, and sees what an agent brings before it is imported.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { AgentDetail, AgentSource, ArrivingAgent, ExportChoice } from '../../api/types';
import { archiveOf } from '../../shared/archive';
import { visible } from '../../shared/untrusted';
import { agentsToChoose, type AgentActions } from '../stores/agentActions';
import { ArrivingView } from './ArrivingView';
import { DialogForm } from './dialogForm';

import '../../../style/agents.css';

/** Null if the person cancels. `name`: safe to show. */
export async function askWhatToExport(
  name: string,
  trans: TranslationBundle
): Promise<ExportChoice | null> {
  const body = new DialogForm(
    trans.__(
      'The file contains its persona, its texts, its plays and its approved skills. Commands and secrets of tool servers are never included.'
    )
  );
  const memory = body.check(trans.__('With its memory'));
  const user = body.check(trans.__('With USER.md, the facts about people that all agents share'));
  const { button } = await showDialog({
    title: trans.__('Export %1', name),
    body,
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Export') })],
    focusNodeSelector: 'input'
  });
  return button.accept ? { memory: memory.checked, user: user.checked } : null;
}

/** Asks for a file or a folder until an agent is imported or the person cancels: null then. What the server refuses is shown. */
export async function askForBundle(
  actions: AgentActions,
  trans: TranslationBundle
): Promise<AgentDetail | null> {
  const form: ISourceForm = { file: null, folder: '', refusal: '' };
  while (await askForSource(form, trans)) {
    try {
      const seen = await inspect(actions, await sourceOf(form, trans), trans);
      return seen && (await askToImport(actions, ...seen, trans));
    } catch (reason) {
      form.refusal = messageOf(reason, trans);
    }
  }
  return null;
}

/** Null: the person has cancelled the choice among several agents. */
async function inspect(
  actions: AgentActions,
  source: AgentSource,
  trans: TranslationBundle
): Promise<[AgentSource, ArrivingAgent] | null> {
  try {
    return [source, await actions.inspect(source)];
  } catch (reason) {
    const names = agentsToChoose(reason);
    if (names.length === 0) {
      throw reason;
    }
    const agent = await askWhichAgent(names, trans);
    if (agent === null) {
      return null;
    }
    const chosen = { ...source, agent };
    return [chosen, await actions.inspect(chosen)];
  }
}

/** Null: the person has cancelled. */
async function askWhichAgent(
  names: readonly string[],
  trans: TranslationBundle
): Promise<string | null> {
  const body = new DialogForm(
    trans.__('There are several agents in it. Choose the one that you want to import.')
  );
  const list = body.select(trans.__('Agent'), names);
  const { button } = await showDialog({
    title: trans.__('Import agent'),
    body,
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Continue') })],
    focusNodeSelector: 'select'
  });
  return button.accept ? list.value : null;
}

function messageOf(reason: unknown, trans: TranslationBundle): string {
  return (reason as Error).message || trans.__('The server cannot be reached.');
}

/** What the person enters, and why the server has refused the last one. */
interface ISourceForm {
  file: File | null;
  folder: string;
  refusal: string;
}

/** False: the person has cancelled. */
async function askForSource(form: ISourceForm, trans: TranslationBundle): Promise<boolean> {
  const body = new DialogForm(
    trans.__(
      'Choose a file that Cabinet has exported, such as ada.agent.zip, or the folder of an agent of a gateway or an orchestrator. You see what it brings before anything is added.'
    )
  );
  const file = body.input('file', trans.__('File'));
  file.accept = '.zip';
  const folder = body.input('text', trans.__('Or folder'));
  folder.value = form.folder;
  body.hint(
    trans.__(
      'The folder is on the server: its path below the folder of JupyterLab, such as old/agents/ada. To upload a folder of this computer, choose a zip file of it.'
    )
  );
  body.refuse(form.refusal);
  const { button } = await showDialog({
    title: trans.__('Import agent'),
    body,
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Continue') })],
    focusNodeSelector: 'input'
  });
  form.file = file.files?.[0] ?? null;
  form.folder = folder.value.trim();
  return button.accept;
}

async function sourceOf(form: ISourceForm, trans: TranslationBundle): Promise<AgentSource> {
  if ((form.file === null) === (form.folder === '')) {
    throw new Error(trans.__('Choose either a file or a folder.'));
  }
  return form.file ? { archive: await archiveOf(form.file) } : { folder: form.folder };
}

/** Until it is imported or the person cancels: null then. A name that the server refuses can be changed. */
async function askToImport(
  actions: AgentActions,
  source: AgentSource,
  agent: ArrivingAgent,
  trans: TranslationBundle
): Promise<AgentDetail | null> {
  const choice = { slug: agent.new_slug, user: false };
  let refusal = '';
  for (;;) {
    const { button } = await showDialog({
      title: trans.__('Import %1?', visible(agent.name)),
      body: <ArrivingView agent={agent} choice={choice} refusal={refusal} trans={trans} />,
      buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Import') })],
      defaultButton: 0,
      focusNodeSelector: refusal ? '.jp-Cabinet-arriving-folder input' : undefined
    });
    if (!button.accept) {
      return null;
    }
    try {
      return await actions.import(source, agent.hash, choice);
    } catch (reason) {
      refusal = messageOf(reason, trans);
    }
  }
}
