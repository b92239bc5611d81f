/**
 * Dialogs in which a person looks at what an agent or a play wants to be allowed, and confirms it. Loaded lazily.
 */
import { Dialog, Notification, ReactWidget, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { createElement } from 'react';

import { visible } from '../../shared/untrusted';
import type { ConfirmationStore, IUnconfirmed } from '../stores/confirmations';
import { complain } from './complain';
import { Difference } from './Difference';

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
    complain(reason, trans);
    return;
  }
  if (!waiting.length) {
    Notification.info(trans.__('All agents and plays are confirmed.'), { autoClose: 4_000 });
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
    complain(reason, trans);
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
      (reason: unknown) => complain(reason, trans)
    );
    return true;
  }
  return button.actions.includes('later');
}

function ask(one: IUnconfirmed, trans: TranslationBundle): Promise<Dialog.IResult<unknown>> {
  const what = one.kind === 'agent' ? trans.__('agent') : trans.__('play');
  return showDialog({
    title: trans.__('Confirm the %1 %2?', what, visible(one.title)),
    body: table(one, trans),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Not now'), actions: ['later'] }),
      Dialog.warnButton({ label: trans.__('Confirm'), actions: ['confirm'] })
    ],
    defaultButton: 0
  });
}

/** Its powers and the texts that steer it, beside those that somebody has confirmed before. */
function table({ difference }: IUnconfirmed, trans: TranslationBundle): ReactWidget {
  const note = trans.__(
    'Its current version has not been confirmed. A run that is not isolated has the permissions of this server’s user.'
  );
  return ReactWidget.create(
    createElement(
      'div',
      {
        className: 'jp-Cabinet-confirm',
        role: 'group',
        tabIndex: 0,
        'aria-label': trans.__('Changes')
      },
      createElement('p', null, note),
      createElement(Difference, { rows: difference, trans })
    )
  );
}
