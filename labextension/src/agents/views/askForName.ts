/**
 * A dialog that asks for the names of an agent. It comes again, with what was written, where the server refuses.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import { visible } from '../../shared/untrusted';
import { checkName, checkSlug } from '../stores/newAgentRules';
import { fieldErrorText } from '../stores/fieldErrorText';

import '../../../style/dialog.css';

/** Of one field of the dialog. */
export interface IAskedField {
  key: string;
  label: string;
  value: string;
}

export interface IAskedNames {
  title: string;
  /** What happens, and what does not. */
  note: string;
  fields: readonly IAskedField[];
  button: string;
  trans: TranslationBundle;
}

/** Asks until `done` succeeds or the person cancels. The fields `name` and `slug` are checked before. */
export async function askForNames(
  asked: IAskedNames,
  done: (values: Record<string, string>) => Promise<void>
): Promise<void> {
  let { fields } = asked;
  let refusal = '';
  for (;;) {
    const body = new NamesForm({ ...asked, fields }, refusal);
    const { button } = await showDialog({
      title: asked.title,
      body,
      buttons: [Dialog.cancelButton(), Dialog.okButton({ label: asked.button })],
      focusNodeSelector: 'input'
    });
    if (!button.accept) {
      return;
    }
    const values = body.values;
    fields = fields.map(field => ({ ...field, value: values[field.key] }));
    const wrong = checkName(values.name) ?? checkSlug(values.slug);
    try {
      if (wrong === null) {
        await done(values);
        return;
      }
      refusal = fieldErrorText(wrong, asked.trans);
    } catch (reason) {
      refusal = (reason as Error).message;
    }
  }
}

class NamesForm extends Widget {
  constructor({ fields, note }: IAskedNames, refusal: string) {
    super();
    this.addClass('jp-Cabinet-names');
    const text = document.createElement('p');
    text.textContent = note;
    this.node.append(text);
    fields.forEach(({ key, label, value }) => {
      const input = document.createElement('input');
      Object.assign(input, { value, autocomplete: 'off', spellcheck: false });
      const around = document.createElement('label');
      around.append(label, input);
      this.node.append(around);
      this._inputs.set(key, input);
    });
    if (refusal) {
      const said = document.createElement('p');
      said.setAttribute('role', 'alert');
      said.className = 'jp-mod-wrong';
      said.textContent = visible(refusal);
      this.node.append(said);
    }
  }

  get values(): Record<string, string> {
    return Object.fromEntries([...this._inputs].map(([key, { value }]) => [key, value.trim()]));
  }

  private readonly _inputs = new Map<string, HTMLInputElement>();
}
