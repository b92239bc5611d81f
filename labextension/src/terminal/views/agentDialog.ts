/**
 * Starting an agent in an open terminal: which one, and what it shall do first.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import type { PermissionMode, RunnerName, StartAgent } from '../../api/types';
import { runnersOf } from '../../runs';
import {
  IN_CONTAINER,
  isolationLabel,
  isolationMeaning,
  permissionModes,
  permissionLabel,
  type ChoiceStore,
  type RuntimeStore
} from '../../runtimes';
import { visible } from '../../shared/untrusted';
import type { ConnectionStore } from '../../shared/connection';

/** What the dialog offers from. */
export interface IAgentDialogOptions {
  choices: ChoiceStore;
  connection: ConnectionStore;
  runtimes: RuntimeStore;
  trans: TranslationBundle;
}

class AgentForm extends Widget {
  constructor({ choices, connection, runtimes, trans }: IAgentDialogOptions) {
    super({ node: document.createElement('div') });
    this.addClass('jp-Cabinet-agent-form');
    const rows = runtimes.found.filter(row => row.capabilities.interactive);
    rows.forEach(row => {
      const option = new Option(visible(row.title), row.name);
      option.selected = row.name === choices.runtime;
      this._runtime.add(option);
    });
    const offerModes = () => {
      const row = rows.find(found => found.name === this._runtime.value);
      const modes = permissionModes(row).filter(
        mode => mode !== 'bypass' || connection.health?.allow_bypass
      );
      // The most careful one first: somebody is here who can be asked.
      this._mode.replaceChildren(
        ...modes.map(mode => new Option(permissionLabel(mode, trans), mode))
      );
    };
    const { offered, usual } = runnersOf(connection.health, '', trans, true);
    this._runner.add(new Option(trans.__('Default (%1)', usual), ''));
    offered.forEach(([name, title]) => this._runner.add(new Option(title, name)));
    const offerIsolation = () => {
      const isContained = (this._runner.value || connection.health?.cluster.runner) === 'docker';
      const { isIsolated, reason } = choices.isolationOf(this._runtime.value);
      this._isolated.checked = isContained || isIsolated;
      this._isolated.disabled = isContained || reason !== null;
      const meaning = isContained ? IN_CONTAINER.reason : reason;
      this._meaning.textContent = meaning?.(trans) ?? isolationMeaning(true, trans);
      const containers = isContained ? connection.health?.containers : undefined;
      const problem = containers && !containers.works ? containers : null;
      this._problem.textContent = problem
        ? visible(`${problem.reason} ${problem.remedy}`.trim())
        : '';
    };
    this._runner.onchange = offerIsolation;
    this._isolated.onchange = () => choices.chooseIsolation(this._isolated.checked);
    this._runtime.onchange = () => {
      offerModes();
      offerIsolation();
    };
    offerModes();
    offerIsolation();
    this._problem.className = 'jp-Cabinet-quiet';
    this._problem.setAttribute('role', 'status');
    this._instruction.rows = 4;
    this._instruction.placeholder = trans.__(
      'First instruction. Leave empty to type it in the terminal later'
    );
    this.node.append(
      labelled(trans.__('Agent'), this._runtime),
      labelled(trans.__('Permission mode'), this._mode),
      ...(offered.length > 1 ? [labelled(trans.__('Where it runs'), this._runner)] : []),
      this._problem,
      this._isolation(trans),
      labelled(trans.__('Instruction'), this._instruction)
    );
  }

  getValue(): StartAgent {
    const mode = this._mode.value as PermissionMode | '';
    const runner = this._runner.value as RunnerName | '';
    return {
      runtime: this._runtime.value,
      ...(runner ? { runner } : {}),
      instruction: this._instruction.value.trim(),
      ...(mode ? { permission_mode: mode } : {}),
      ...(this._isolated.checked && !this._isolated.disabled ? { isolate: true } : {})
    };
  }

  private _isolation(trans: TranslationBundle): HTMLElement {
    const label = document.createElement('label');
    this._isolated.type = 'checkbox';
    this._meaning.id = 'jp-Cabinet-isolation-meaning';
    this._isolated.setAttribute('aria-describedby', this._meaning.id);
    this._meaning.className = 'jp-Cabinet-quiet';
    label.append(this._isolated, isolationLabel(true, trans));
    const group = document.createElement('div');
    group.className = 'jp-Cabinet-agent-form-isolation';
    group.append(label, this._meaning);
    return group;
  }

  private readonly _runtime = document.createElement('select');
  private readonly _runner = document.createElement('select');
  private readonly _mode = document.createElement('select');
  private readonly _isolated = document.createElement('input');
  /** Why nothing can start in a container now. */
  private readonly _problem = document.createElement('div');
  private readonly _meaning = document.createElement('span');
  private readonly _instruction = document.createElement('textarea');
}

function labelled(text: string, control: HTMLElement): HTMLElement {
  const label = document.createElement('label');
  control.className = 'jp-mod-styled';
  label.append(text, control);
  return label;
}

/** Null where the person wants none after all. `name`: the terminal's. */
export async function askAgent(
  options: IAgentDialogOptions,
  name: string
): Promise<StartAgent | null> {
  const { runtimes, trans } = options;
  if (runtimes.items === null) {
    await runtimes.load();
  }
  const body = new AgentForm(options);
  const { button, value } = await showDialog({
    title: trans.__('Start an agent in %1', visible(name)),
    body,
    focusNodeSelector: 'textarea',
    buttons: [
      Dialog.cancelButton({ label: trans.__('Cancel') }),
      Dialog.okButton({ label: trans.__('Start') })
    ]
  });
  return button.accept ? value : null;
}
