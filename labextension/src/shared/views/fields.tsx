/**
 * Fields that forms have in common.
 */
import * as React from 'react';

import { FormField } from './FormDialog';

/** A line of text. */
export function TextField(props: {
  label: string;
  value: string;
  wrong?: string;
  hint?: string;
  autoFocus?: boolean;
  /** What is typed is not shown. */
  isSecret?: boolean;
  onChange: (value: string) => void;
}): React.ReactElement {
  const { autoFocus, isSecret, onChange, value } = props;
  return (
    <FormField label={props.label} wrong={props.wrong ?? null} hint={props.hint}>
      {given => (
        <input
          {...given}
          type={isSecret ? 'password' : 'text'}
          autoComplete={isSecret ? 'new-password' : 'off'}
          autoFocus={autoFocus}
          value={value}
          onChange={event => onChange(event.target.value)}
        />
      )}
    </FormField>
  );
}

/** A time of day such as 22:00; empty: none. */
export function TimeField(props: {
  label: string;
  value: string;
  wrong?: string;
  hint?: string;
  onChange: (value: string) => void;
}): React.ReactElement {
  const { onChange, value } = props;
  return (
    <FormField label={props.label} wrong={props.wrong ?? null} hint={props.hint}>
      {given => (
        <input
          {...given}
          type="time"
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
  autoFocus?: boolean;
  onChange: (value: T) => void;
}): React.ReactElement {
  const { autoFocus, onChange, options, value } = props;
  return (
    <FormField label={props.label} wrong={props.wrong ?? null} hint={props.hint}>
      {given => (
        <select
          {...given}
          autoFocus={autoFocus}
          value={value}
          onChange={event => onChange(event.target.value as T)}
        >
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

/** What is closed at first, unless something is written there. */
export function More(props: {
  label: string;
  isUsed: boolean;
  children: React.ReactNode;
}): React.ReactElement {
  const { children, isUsed, label } = props;
  const [isOpen, open] = React.useState(isUsed);
  React.useEffect(() => {
    if (isUsed) {
      open(true); // such as a field in it that the server has refused
    }
  }, [isUsed]);
  return (
    <details
      className="jp-Cabinet-form-more"
      open={isOpen}
      onToggle={event => open(event.currentTarget.open)}
    >
      <summary>{label}</summary>
      <div className="jp-Cabinet-form-fields">{children}</div>
    </details>
  );
}
