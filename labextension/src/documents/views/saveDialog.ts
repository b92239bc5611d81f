/**
 * The dialog that asks whether unsaved changes may be saved before a run. Loaded lazily.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { visible } from '../../shared/untrusted';

/** Before a run: the agent works with the file on disk. */
export async function askToSave(path: string, trans: TranslationBundle): Promise<boolean> {
  const name = path.split('/').pop() ?? path;
  const { button } = await showDialog({
    title: trans.__('%1 has unsaved changes', visible(name)),
    body: trans.__(
      'The agent works on the file on disk. Save first so that you do not lose your changes.'
    ),
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Save and run') })
    ]
  });
  return button.accept;
}
