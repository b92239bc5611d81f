/**
 * The goals of an agent as rows: what is counted, how much of it, and in which time.
 */
import { addIcon, closeIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { visible } from '../../../shared/untrusted';
import { Button } from '../../../shared/views/components';
import { goalField, type IGoalRow, NEW_GOAL, PERIODS } from '../../stores/page/goalRows';
import { type IFormProps, Select, Theirs, useWrong } from './personaControls';
import { usePage } from './services';

export function PersonaGoals({ form, whyNot }: IFormProps): React.ReactElement {
  const { trans } = usePage();
  const { theirs, value } = form.group('goals');
  const group = React.useRef<HTMLFieldSetElement>(null);
  const write = (rows: readonly IGoalRow[]) => form.writeGroup('goals', rows);
  const rows = value ?? [];
  /** What had the focus may be gone. */
  const focus = (selector: string) =>
    requestAnimationFrame(() => group.current?.querySelector<HTMLElement>(selector)?.focus());
  return (
    <fieldset ref={group} className="jp-Cabinet-persona-group">
      <legend>{trans.__('Goals')}</legend>
      {rows.map((row, index) => (
        <Goal
          key={index}
          form={form}
          whyNot={whyNot}
          row={row}
          index={index}
          onWrite={change =>
            write(rows.map((each, at) => (at === index ? { ...each, ...change } : each)))
          }
          onRemove={() => {
            write(rows.filter((_, at) => at !== index));
            focus('.jp-Cabinet-persona-add');
          }}
        />
      ))}
      <Theirs text={theirs} />
      {value === null ? (
        <p className="jp-Cabinet-quiet">
          {trans.__('This form cannot show the goals. Change them in persona.md.')}
        </p>
      ) : (
        <Button
          className="jp-Cabinet-persona-add"
          icon={addIcon}
          label={trans.__('Add goal')}
          blocked={whyNot}
          onClick={() => {
            write([...rows, NEW_GOAL]);
            focus(`.jp-Cabinet-persona-goal:nth-of-type(${rows.length + 1}) input`);
          }}
        />
      )}
    </fieldset>
  );
}

function Goal(
  props: IFormProps & {
    row: IGoalRow;
    index: number;
    onWrite: (change: Partial<IGoalRow>) => void;
    onRemove: () => void;
  }
): React.ReactElement {
  const { index, onRemove, onWrite, row, whyNot } = props;
  const { trans } = usePage();
  return (
    <div
      className="jp-Cabinet-persona-goal"
      role="group"
      aria-label={trans.__('Goal %1', index + 1)}
    >
      <Cell {...props} column="metric" label={trans.__('Metric')} />
      <Cell {...props} column="target" label={trans.__('Target')} />
      <Cell {...props} column="unit" label={trans.__('Unit')} />
      <label>
        {trans.__('Period')}
        <Select
          given={{}}
          options={PERIODS.map(each => [each as string, periodWords(each, trans)])}
          value={row.period}
          whyNot={whyNot}
          isShown
          onChoose={period => onWrite({ period })}
        />
      </label>
      <Button
        bare
        icon={closeIcon}
        label={trans.__('Remove goal %1', visible(row.metric) || String(index + 1))}
        blocked={whyNot}
        onClick={onRemove}
      />
    </div>
  );
}

function Cell(
  props: IFormProps & {
    row: IGoalRow;
    index: number;
    column: 'metric' | 'target' | 'unit';
    label: string;
    onWrite: (change: Partial<IGoalRow>) => void;
  }
): React.ReactElement {
  const { column, form, index, label, onWrite, row, whyNot } = props;
  const id = React.useId();
  const name = goalField(index, column);
  const [onInput, wrong] = useWrong(form, name);
  return (
    <label>
      {label}
      <input
        className="jp-Cabinet-page-field"
        name={name}
        value={row[column]}
        inputMode={column === 'target' ? 'decimal' : undefined}
        autoComplete="off"
        readOnly={whyNot !== null}
        title={whyNot ?? undefined}
        aria-invalid={wrong !== null}
        aria-describedby={id}
        onInput={onInput}
        onChange={event => onWrite({ [column]: event.target.value })}
      />
      <span id={id} className="jp-mod-wrong">
        {wrong}
      </span>
    </label>
  );
}

function periodWords(period: (typeof PERIODS)[number], trans: TranslationBundle): string {
  const words = {
    daily: trans.__('Daily'),
    weekly: trans.__('Weekly'),
    monthly: trans.__('Monthly')
  };
  return words[period];
}
