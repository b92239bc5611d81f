/**
 * Asks whether agents may run in the server’s root folder. Loaded when a request is refused because no one
 * has confirmed it.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { trustWords } from '../trustWords';
import { renderUntrusted } from './renderUntrusted';

import '../../../style/shared.css';

/** Whether the person confirms it. `whyNot`: why they may not; null: they may. */
export async function askAboutFolder(
  root: string,
  whyNot: string | null,
  trans: TranslationBundle
): Promise<boolean> {
  const { button } = await showDialog({
    title: trans.__('Trust this folder?'),
    body: new Widget({ node: bodyOf(root, whyNot, trans) }),
    buttons:
      whyNot === null
        ? [
            Dialog.cancelButton({ label: trans.__('Not now') }),
            Dialog.warnButton({ label: trans.__('Trust this folder'), actions: ['confirm'] })
          ]
        : [Dialog.cancelButton({ label: trans.__('Close') })],
    defaultButton: 0
  });
  return button.actions.includes('confirm');
}

function bodyOf(root: string, whyNot: string | null, trans: TranslationBundle): HTMLElement {
  const body = document.createElement('div');
  const folder = body.appendChild(document.createElement('p'));
  folder.className = 'jp-Cabinet-code';
  void renderUntrusted(folder, root);
  const texts = [trustWords(trans), whyNot ?? ''];
  for (const text of texts.filter(Boolean)) {
    body.appendChild(document.createElement('p')).textContent = text;
  }
  return body;
}
