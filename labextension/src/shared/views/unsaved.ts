/**
 * What a person has not saved keeps its tab open, and the page, until they say so. Loaded with the tab.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';
import type { ISignal } from '@lumino/signaling';

import { visible } from '../untrusted';
import type { LazyTab } from './lazyTab';

/** The names of unsaved things; `changed` fires when they change. */
export interface IUnsaved {
  readonly changed: ISignal<unknown, unknown>;
  readonly unsaved: readonly string[];
}

/** JupyterLab, whose status keeps the browser from leaving without a question. */
type Status = { setDirty(): IDisposable };

export function guard(
  tab: LazyTab,
  drafts: IUnsaved,
  app: JupyterFrontEnd,
  trans: TranslationBundle
): void {
  let mark: IDisposable | null = null;
  const status = (app as JupyterFrontEnd & { status?: Status }).status;
  const look = () => {
    if (drafts.unsaved.length > 0) {
      mark ??= status?.setDirty() ?? null;
    } else {
      mark?.dispose();
      mark = null;
    }
  };
  drafts.changed.connect(look);
  tab.disposed.connect(() => mark?.dispose());
  tab.content.mayClose = async () => {
    const names = drafts.unsaved.map(visible).join(', ');
    if (!names) {
      return true;
    }
    const { button } = await showDialog({
      title: trans.__('Close without saving?'),
      body: trans.__('Your unsaved changes will be lost: %1.', names),
      buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Discard') })],
      defaultButton: 0
    });
    return button.accept;
  };
}
