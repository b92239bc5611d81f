/**
 * The questions that need a dialog of JupyterLab: a model's name, a link's address, a raw output.
 */
import { Dialog, InputDialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import type { Person } from '../../api/types';
import { nameOf } from '../../terminal/stores/labels';
import { visible, withoutSequences } from '../../shared/untrusted';
import type { ICabinet } from '../../shared/tokens';

import '../../../style/shared.css';

export async function askModel(trans: TranslationBundle): Promise<string | null> {
  const { button, value } = await InputDialog.getText({
    title: trans.__('Model'),
    label: trans.__('The name as the runtime knows it'),
    okLabel: trans.__('Use it')
  });
  return button.accept ? value?.trim() || null : null;
}

export async function askPerson(
  people: Person[],
  trans: TranslationBundle
): Promise<string | null> {
  const names = people.map(person => `${nameOf(person)} (${visible(person.username)})`);
  const { button, value } = await InputDialog.getItem({
    title: trans.__('Give control'),
    label: trans.__('To'),
    items: names,
    okLabel: trans.__('Give')
  });
  return button.accept ? (people[names.indexOf(value ?? '')]?.username ?? null) : null;
}

export async function confirmLink(address: URL, trans: TranslationBundle): Promise<boolean> {
  const { renderUntrusted } = await import('../../shared/views/renderUntrusted');
  const body = document.createElement('div');
  void renderUntrusted(body, address.href);
  const { button } = await showDialog({
    title: trans.__('Open a page of %1?', address.host),
    body: new Widget({ node: body }),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Open') })
    ]
  });
  return button.accept;
}

/** Before a run: the agent works with the file on disk. */
export async function askToSave(path: string, trans: TranslationBundle): Promise<boolean> {
  const name = path.split('/').pop() ?? path;
  const { button } = await showDialog({
    title: trans.__('%1 has unsaved changes', visible(name)),
    body: trans.__(
      'The agent works on the file on disk. Save first, so that nothing of yours is lost.'
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Save and run') })
    ]
  });
  return button.accept;
}

export async function showLink(link: string, trans: TranslationBundle): Promise<void> {
  const field = document.createElement('input');
  field.className = 'jp-mod-styled';
  field.readOnly = true;
  field.value = link;
  field.setAttribute('aria-label', trans.__('Link'));
  await showDialog({
    title: trans.__('Link to the terminal'),
    body: new Widget({ node: field }),
    focusNodeSelector: 'input',
    buttons: [Dialog.okButton({ label: trans.__('Close') })]
  });
}

export async function showOutput(
  cabinet: ICabinet,
  runId: string,
  trans: TranslationBundle
): Promise<void> {
  const { renderUntrusted } = await import('../../shared/views/renderUntrusted');
  const body = document.createElement('pre');
  body.className = 'jp-Cabinet-output';
  body.tabIndex = 0;
  const text = await cabinet.client.raw(runId).catch(reason => String(reason));
  void renderUntrusted(body, withoutSequences(text).trim() || trans.__('The run wrote nothing.'));
  await showDialog({
    title: trans.__('Output'),
    body: new Widget({ node: body }),
    buttons: [Dialog.okButton({ label: trans.__('Close') })]
  });
}
