/**
 * The dialog in which a person reads a text that an agent has for the clipboard, and copies it. Loaded lazily.
 */
import { Clipboard, Dialog, ReactWidget, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { createElement } from 'react';

import { Untrusted } from '../../shared/views/Untrusted';

import '../../../style/agents.css';

export async function showTextToCopy(text: string, trans: TranslationBundle): Promise<void> {
  const shown = createElement(
    'pre',
    { className: 'jp-Cabinet-code jp-Cabinet-text-to-copy', tabIndex: 0 },
    createElement(Untrusted, { text })
  );
  const { button } = await showDialog({
    title: trans.__('Text from an agent'),
    body: ReactWidget.create(shown),
    defaultButton: 0, // Enter must not copy what nobody has read
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Copy') })
    ]
  });
  if (button.accept) {
    Clipboard.copyToSystem(text);
  }
}
