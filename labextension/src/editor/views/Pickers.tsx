/**
 * What an instruction runs with: runtime, model, permission mode, isolation. Only what the found version really offers.
 */
import { HTMLSelect } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { PermissionMode, RuntimeRow } from '../../api/types';
import { Commands } from '../../shared/commands';
import { fallbackNotes, isolationLabel, isolationMeaning, permissionLabel } from '../../runtimes';
import { shieldIcon, shieldOffIcon } from '../../shared/icons';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { useServices } from './services';

/** No runtime or model is called so. */
const MORE = '\u0000more';

interface IEntry {
  value: string;
  label: string;
}

export function Pickers(): React.ReactElement {
  const services = useServices();
  const { trans, choices, runtimes, connection } = services;
  useChanges(choices.changed, runtimes.changed, connection.changed);
  const row = runtimes.get(choices.runtime);
  const chooseRuntime = (value: string) =>
    value === MORE ? services.run(Commands.runtimes) : choices.chooseRuntime(value);
  const asking = React.useRef(false); // each letter typed into the picker chooses again
  const chooseModel = async (value: string) => {
    if (value !== MORE) {
      choices.chooseModel(value || null);
    } else if (!asking.current) {
      asking.current = true;
      const model = await services.askModel().finally(() => (asking.current = false));
      if (model) {
        choices.chooseModel(model);
      }
    }
  };
  return (
    <div className="jp-Cabinet-pickers">
      {runtimes.items !== null && (
        <Picker
          label={trans.__('Runtime')}
          value={choices.runtime ?? ''}
          entries={runtimeEntries(runtimes.found, trans)}
          onChoose={chooseRuntime}
        />
      )}
      {row && (
        <Picker
          label={trans.__('Model')}
          value={choices.model ?? ''}
          entries={modelEntries(row, choices.model, trans)}
          onChoose={value => void chooseModel(value)}
        />
      )}
      {choices.permissionModes.length > 0 && (
        <Picker
          label={trans.__('Permission mode')}
          value={choices.permissionMode ?? ''}
          entries={choices.permissionModes.map(mode => modeEntry(mode, trans))}
          onChoose={value => choices.choosePermissionMode(value as PermissionMode)}
        />
      )}
      {row && <IsolationButton />}
    </div>
  );
}

/** A shield that says whether the next run is isolated, and changes that. */
function IsolationButton(): React.ReactElement {
  const { choices, connection, trans } = useServices();
  const { isIsolated, reason } = choices.isolation;
  return (
    <Button
      quiet
      className="jp-Cabinet-isolation"
      icon={isIsolated ? shieldIcon : shieldOffIcon}
      label={isolationLabel(isIsolated, trans)}
      title={isolationMeaning(isIsolated, trans)}
      blocked={reason?.(trans)}
      disabled={!connection.online}
      onClick={() => choices.chooseIsolation(!isIsolated)}
    />
  );
}

function Picker(props: {
  label: string;
  value: string;
  entries: IEntry[];
  onChoose: (value: string) => void;
}): React.ReactElement {
  const { connection } = useServices();
  return (
    <HTMLSelect
      className="jp-Cabinet-picker"
      aria-label={props.label}
      disabled={!connection.online}
      value={props.value}
      onChange={event => props.onChoose(event.target.value)}
    >
      {props.entries.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </HTMLSelect>
  );
}

function runtimeEntries(found: RuntimeRow[], trans: TranslationBundle): IEntry[] {
  const entries = found.map(({ name, title }) => ({ value: name, label: visible(title) }));
  const none = found.length ? [] : [{ value: '', label: trans.__('No agent') }];
  return [...none, ...entries, { value: MORE, label: trans.__('More…') }];
}

function modelEntries(row: RuntimeRow, chosen: string | null, trans: TranslationBundle): IEntry[] {
  const { models } = row.capabilities;
  const typed = chosen !== null && !models.includes(chosen) ? [chosen] : [];
  return [
    { value: '', label: trans.__('Default model') },
    ...[...models, ...typed].map(model => ({ value: model, label: visible(model) })),
    { value: MORE, label: trans.__('Other…') }
  ];
}

function modeEntry(mode: PermissionMode, trans: TranslationBundle): IEntry {
  const words = permissionLabel(mode, trans);
  return { value: mode, label: mode === 'bypass' ? `⚠ ${words}` : words };
}

/** Why something else is taken than what was chosen once. */
export function PickerNotes(): React.ReactElement | null {
  const { trans, choices, editor, runtimes } = useServices();
  useChanges(choices.changed, runtimes.changed, editor.changed);
  const notes = fallbackNotes(choices.chosen, choices, runtimes, trans);
  const row = runtimes.get(choices.runtime);
  if (row?.login === 'no' && editor.view === 'session') {
    // beside the history a card says it
    const title = visible(row.title);
    notes.push(trans.__('%1 is not logged in.', title), visible(row.login_hint));
  }
  return notes.length ? (
    <p className="jp-Cabinet-quiet jp-Cabinet-picker-notes" role="status">
      {notes.join(' ')}
    </p>
  ) : null;
}
