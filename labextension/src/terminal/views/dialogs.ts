/**
 * The dialogs of a terminal: to whom control is given, whether a link is followed, a link to copy. Loaded lazily.
 */
import { Dialog, InputDialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import type { Person } from '../../api/types';
import { visible } from '../../shared/untrusted';
import { nameOf } from '../stores/labels';

/** The username; null where the person wants to give it to nobody after all. */
export async function askPerson(
  people: Person[],
  trans: TranslationBundle
): Promise<string | null> {
  const names = people.map(person => `${nameOf(person)} (${visible(person.username)})`);
  const { button, value } = await InputDialog.getItem({
    title: trans.__('Give control'),
    label: trans.__('To'),
    items: names,
    okLabel: trans.__('Give control')
  });
  return button.accept ? (people[names.indexOf(value ?? '')]?.username ?? null) : null;
}

/** Shows the whole address, with what cannot be seen made visible. */
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

/** Sharing also shows what was written while the terminal was private: that cannot be undone. */
export async function confirmSharing(
  isRecorded: boolean,
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Share this terminal?'),
    body: isRecorded
      ? trans.__(
          'Everyone who can view terminals on this server will see its screen, its earlier output and its recording.'
        )
      : trans.__(
          'Everyone who can view terminals on this server will see its screen and its earlier output.'
        ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Share') })
    ]
  });
  return button.accept;
}

/** To be copied by hand. */
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
