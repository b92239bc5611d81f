/**
 * Fields that the forms of plans have in common.
 */
import * as React from 'react';

import { visible } from '../../shared/untrusted';
import { FormField } from '../../shared/views/FormDialog';
import { useChanges } from '../../shared/views/hooks';
import { WorkerOptions } from '../../shared/views/WorkerOptions';
import type { Worker } from '../stores/forms';
import { usePlans } from './services';

/** A line of text. */
export function TextField(props: {
  label: string;
  value: string;
  wrong?: string;
  hint?: string;
  autoFocus?: boolean;
  onChange: (value: string) => void;
}): React.ReactElement {
  const { autoFocus, onChange, value } = props;
  return (
    <FormField label={props.label} wrong={props.wrong ?? null} hint={props.hint}>
      {given => (
        <input
          {...given}
          type="text"
          autoComplete="off"
          autoFocus={autoFocus}
          value={value}
          onChange={event => onChange(event.target.value)}
        />
      )}
    </FormField>
  );
}

/** Lines of text. */
export function AreaField(props: {
  label: string;
  value: string;
  wrong?: string;
  hint?: string;
  rows?: number;
  isCode?: boolean;
  autoFocus?: boolean;
  onChange: (value: string) => void;
}): React.ReactElement {
  const { autoFocus, isCode, onChange, rows = 3, value } = props;
  return (
    <FormField label={props.label} wrong={props.wrong ?? null} hint={props.hint}>
      {given => (
        <textarea
          {...given}
          rows={rows}
          autoFocus={autoFocus}
          className={isCode ? 'jp-Cabinet-code' : undefined}
          spellCheck={!isCode}
          value={value}
          onChange={event => onChange(event.target.value)}
        />
      )}
    </FormField>
  );
}

/** A box to check. */
export function CheckField(props: {
  label: string;
  value: boolean;
  wrong?: string;
  hint?: string;
  onChange: (value: boolean) => void;
}): React.ReactElement {
  const { onChange, value } = props;
  return (
    <FormField label={props.label} wrong={props.wrong ?? null} hint={props.hint}>
      {given => (
        <input
          {...given}
          type="checkbox"
          checked={value}
          onChange={event => onChange(event.target.checked)}
        />
      )}
    </FormField>
  );
}

/** One of few values. */
export function ChoiceField<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  wrong?: string;
  hint?: string;
  onChange: (value: T) => void;
}): React.ReactElement {
  const { onChange, options, value } = props;
  return (
    <FormField label={props.label} wrong={props.wrong ?? null} hint={props.hint}>
      {given => (
        <select {...given} value={value} onChange={event => onChange(event.target.value as T)}>
          {options.map(([each, label]) => (
            <option key={each} value={each}>
              {label}
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}

/** Runtimes, and below them agents. `none`: what the choice of none is called. */
export function WorkerField(props: {
  none: string;
  value: Worker;
  wrong?: string;
  hint?: string;
  onChange: (value: Worker) => void;
}): React.ReactElement {
  const { none, onChange, value } = props;
  const { agents, runtimes, trans } = usePlans();
  useChanges(agents.changed, runtimes.changed);
  React.useEffect(() => agents.watchAll(), [agents]);
  const rows = agents.rows ?? [];
  const known = [
    '',
    ...runtimes.found.map(({ name }) => `runtime:${name}`),
    ...rows.map(({ slug }) => `agent:${slug}`)
  ];
  return (
    <FormField label={trans.__('Agent or runtime')} wrong={props.wrong ?? null} hint={props.hint}>
      {given => (
        <select {...given} value={value} onChange={event => onChange(event.target.value)}>
          <option value="">{none}</option>
          {!known.includes(value) && (
            <option value={value}>{visible(value.slice(value.indexOf(':') + 1))}</option>
          )}
          <WorkerOptions runtimes={runtimes.found} agents={rows} trans={trans} />
        </select>
      )}
    </FormField>
  );
}

/** What is closed at first, unless something is written there. */
export function More(props: { isUsed: boolean; children: React.ReactNode }): React.ReactElement {
  const { children, isUsed } = props;
  const { trans } = usePlans();
  const [isOpen, open] = React.useState(isUsed);
  return (
    <details
      className="jp-Cabinet-form-more"
      open={isOpen}
      onToggle={event => open(event.currentTarget.open)}
    >
      <summary>{trans.__('More')}</summary>
      <div className="jp-Cabinet-form-fields">{children}</div>
    </details>
  );
}
