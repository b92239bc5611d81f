/**
 * The dialogs in which a person chooses what an export contains, and sees what a file brings before it is imported.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import * as React from 'react';

import type { AgentDetail, ArrivingAgent, ExportChoice } from '../../api/types';
import { archiveOf } from '../../shared/archive';
import { visible } from '../../shared/untrusted';
import type { AgentActions } from '../stores/agentActions';
import { ArrivingView } from './ArrivingView';

import '../../../style/dialog.css';
import '../../../style/agents.css';

/** Null if the person cancels. `name`: safe to show. */
export async function askWhatToExport(
  name: string,
  trans: TranslationBundle
): Promise<ExportChoice | null> {
  const body = new Form(
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

/** Asks for a file until one is imported or the person cancels: null then. What the server refuses is shown. */
export async function askForBundle(
  actions: AgentActions,
  trans: TranslationBundle
): Promise<AgentDetail | null> {
  let refusal = '';
  for (;;) {
    const file = await askForFile(refusal, trans);
    if (file === undefined) {
      return null;
    }
    try {
      if (file === null) {
        throw new Error(trans.__('Choose a file.'));
      }
      const archive = await archiveOf(file);
      return await askToImport(actions, archive, await actions.inspect(archive), trans);
    } catch (reason) {
      refusal = messageOf(reason, trans);
    }
  }
}

function messageOf(reason: unknown, trans: TranslationBundle): string {
  return (reason as Error).message || trans.__('The server cannot be reached.');
}

/** Null: none was chosen. Undefined: the person has cancelled. */
async function askForFile(
  refusal: string,
  trans: TranslationBundle
): Promise<File | null | undefined> {
  const body = new Form(
    trans.__(
      'Choose a file that Cabinet has exported, such as ada.agent.zip. You see what it brings before anything is added.'
    )
  );
  const input = body.input('file', trans.__('File'));
  input.accept = '.zip';
  body.refuse(refusal);
  const { button } = await showDialog({
    title: trans.__('Import agent'),
    body,
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: trans.__('Continue') })],
    focusNodeSelector: 'input'
  });
  return button.accept ? (input.files?.[0] ?? null) : undefined;
}

/** Until it is imported or the person cancels: null then. A name that the server refuses can be changed. */
async function askToImport(
  actions: AgentActions,
  archive: string,
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
      return await actions.import(archive, choice);
    } catch (reason) {
      refusal = messageOf(reason, trans);
    }
  }
}

/** A sentence, and fields below it. */
class Form extends Widget {
  constructor(note: string) {
    super();
    this.addClass('jp-Cabinet-names');
    this._paragraph(note);
  }

  input(type: string, label: string): HTMLInputElement {
    const input = document.createElement('input');
    input.type = type;
    const around = document.createElement('label');
    around.append(label, input);
    this.node.append(around);
    return input;
  }

  check(label: string): HTMLInputElement {
    const input = this.input('checkbox', label);
    input.parentElement!.className = 'jp-Cabinet-names-check';
    return input;
  }

  /** Empty: nothing was refused. */
  refuse(text: string): void {
    if (text) {
      const said = this._paragraph(visible(text));
      said.setAttribute('role', 'alert');
      said.className = 'jp-mod-wrong';
    }
  }

  private _paragraph(text: string): HTMLElement {
    const line = document.createElement('p');
    line.textContent = text;
    this.node.append(line);
    return line;
  }
}
