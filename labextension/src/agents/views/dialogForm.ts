/**
 * The body of a small dialog: a sentence, and fields below it.
 */
import { Widget } from '@lumino/widgets';

import { visible } from '../../shared/untrusted';

import '../../../style/dialog.css';

export class DialogForm extends Widget {
  constructor(note: string) {
    super();
    this.addClass('jp-Cabinet-names');
    this._paragraph(note);
  }

  input(type: string, label: string): HTMLInputElement {
    const input = document.createElement('input');
    input.type = type;
    return this._labelled(label, input);
  }

  /** `values`: may be those of strangers. */
  select(label: string, values: readonly string[]): HTMLSelectElement {
    const list = document.createElement('select');
    list.append(...values.map(value => new Option(visible(value), value)));
    return this._labelled(label, list);
  }

  check(label: string): HTMLInputElement {
    const input = this.input('checkbox', label);
    input.parentElement!.className = 'jp-Cabinet-names-check';
    return input;
  }

  hint(text: string): void {
    this._paragraph(text).className = 'jp-Cabinet-quiet';
  }

  /** Empty: nothing was refused. */
  refuse(text: string): void {
    if (text) {
      const said = this._paragraph(visible(text));
      said.setAttribute('role', 'alert');
      said.className = 'jp-mod-wrong';
    }
  }

  private _labelled<T extends HTMLElement>(label: string, field: T): T {
    const around = document.createElement('label');
    around.append(label, field);
    this.node.append(around);
    return field;
  }

  private _paragraph(text: string): HTMLElement {
    const line = document.createElement('p');
    line.textContent = text;
    this.node.append(line);
    return line;
  }
}
