/**
 * Dialogs in which a person looks at what an agent or a play wants to be allowed, and confirms it. Loaded lazily.
 */
import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { visible } from '../../shared/untrusted';
import { renderUntrusted } from '../../shared/views/renderUntrusted';
import type { ConfirmationStore, IUnconfirmed } from '../stores/confirmations';

import '../../../style/agents.css';

/** One after the other; *Not now* leaves one as it is, Escape ends it. */
export async function confirmAll(
  store: ConfirmationStore,
  trans: TranslationBundle
): Promise<void> {
  let waiting: IUnconfirmed[];
  try {
    waiting = await store.find();
  } catch (reason) {
    Notification.error(String((reason as Error).message ?? reason));
    return;
  }
  if (!waiting.length) {
    Notification.info(trans.__('All agents and plays are confirmed.'));
    return;
  }
  for (const one of waiting) {
    if (!(await askAndConfirm(one, store, trans))) {
      return;
    }
  }
}

/** One agent or play: where it is shown there is a button. */
export async function confirmOne(
  store: ConfirmationStore,
  kind: IUnconfirmed['kind'],
  slug: string,
  trans: TranslationBundle
): Promise<void> {
  try {
    const one = await store.findOne(kind, slug);
    if (one) {
      await askAndConfirm(one, store, trans);
    }
  } catch (reason) {
    Notification.error(String((reason as Error).message ?? reason));
  }
}

/** False where the person wants to see no more. */
async function askAndConfirm(
  one: IUnconfirmed,
  store: ConfirmationStore,
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await ask(one, trans);
  if (button.actions.includes('confirm')) {
    await store.confirm(one).then(
      () =>
        Notification.success(trans.__('%1 is confirmed.', visible(one.title)), {
          autoClose: 4_000
        }),
      reason => Notification.error(String((reason as Error).message ?? reason))
    );
    return true;
  }
  return button.actions.includes('later');
}

function ask(one: IUnconfirmed, trans: TranslationBundle): Promise<Dialog.IResult<unknown>> {
  const what = one.kind === 'agent' ? trans.__('agent') : trans.__('play');
  return showDialog({
    title: trans.__('Confirm the %1 %2?', what, visible(one.title)),
    body: new Widget({ node: table(one, trans) }),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Not now'), actions: ['later'] }),
      Dialog.warnButton({ label: trans.__('Confirm'), actions: ['confirm'] })
    ],
    defaultButton: 0
  });
}

/** Its powers and the texts that steer it, beside those that somebody has confirmed before. */
function table({ difference }: IUnconfirmed, trans: TranslationBundle): HTMLElement {
  const body = document.createElement('div');
  body.className = 'jp-Cabinet-confirm';
  const note = document.createElement('p');
  note.textContent = trans.__(
    'Its current version has not been confirmed. A run that is not isolated has the permissions of this server’s user.'
  );
  const rows = document.createElement('table');
  const head = rows.createTHead().insertRow();
  for (const title of [trans.__('What'), trans.__('Last confirmed'), trans.__('Now')]) {
    const cell = document.createElement('th');
    cell.scope = 'col';
    cell.textContent = title;
    head.append(cell);
  }
  const list = rows.createTBody();
  for (const { what, before, after } of difference) {
    const row = list.insertRow();
    for (const text of [what, before, after]) {
      const cell = row.insertCell();
      void renderUntrusted(cell, text || '–');
    }
  }
  body.append(note, rows);
  return body;
}
