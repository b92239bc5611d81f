/**
 * Starting an agent in an open terminal: which one, and what it shall do first.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';

import { visible } from '../../state/untrusted';
import type { ITerminalServices } from './services';

class AgentForm extends Widget {
  constructor(services: ITerminalServices) {
    super({ node: document.createElement('div') });
    const { cabinet, trans } = services;
    this.addClass('jp-Cabinet-agent-form');
    cabinet.runtimes.found.forEach(row => {
      const option = new Option(visible(row.title), row.name);
      option.selected = row.name === cabinet.choices.runtime;
      this._runtime.add(option);
    });
    this._instruction.rows = 4;
    this._instruction.placeholder = trans.__('What it shall do first. Empty: it waits for you');
    this.node.append(
      labelled(trans.__('Agent'), this._runtime),
      labelled(trans.__('Instruction'), this._instruction)
    );
  }

  getValue(): { runtime: string; instruction: string } {
    return { runtime: this._runtime.value, instruction: this._instruction.value.trim() };
  }

  private readonly _runtime = document.createElement('select');
  private readonly _instruction = document.createElement('textarea');
}

function labelled(text: string, control: HTMLElement): HTMLElement {
  const label = document.createElement('label');
  control.className = 'jp-mod-styled';
  label.append(text, control);
  return label;
}

export async function askAgent(
  services: ITerminalServices,
  terminalId: string,
  name: string
): Promise<void> {
  const { cabinet, trans } = services;
  if (cabinet.runtimes.items === null) {
    await cabinet.runtimes.load();
  }
  const body = new AgentForm(services);
  const { button, value } = await showDialog({
    title: trans.__('Start an agent in %1', visible(name)),
    body,
    focusNodeSelector: 'textarea',
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Start') })
    ]
  });
  if (button.accept && value) {
    const permission_mode = cabinet.choices.permissionMode;
    const chosen = value.runtime === cabinet.choices.runtime && permission_mode;
    await cabinet.client.startAgent(terminalId, {
      ...value,
      ...(chosen ? { permission_mode } : {})
    });
  }
}
