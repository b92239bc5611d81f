/**
 * The dialog that asks for a model’s name. Loaded lazily.
 */
import { InputDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

/** Null where the person wants none after all. */
export async function askModel(trans: TranslationBundle): Promise<string | null> {
  const { button, value } = await InputDialog.getText({
    title: trans.__('Model'),
    label: trans.__('The name that the runtime uses'),
    okLabel: trans.__('Use this model')
  });
  return button.accept ? value?.trim() || null : null;
}
