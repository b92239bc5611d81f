/**
 * Small parts that the tabs of an agent's page share.
 */
import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';

/** A group of rows under its title. */
export function Section(props: {
  title: string;
  note?: React.ReactNode;
  actions?: React.ReactNode;
  children: React.ReactNode;
}): React.ReactElement {
  const id = React.useId();
  return (
    <section className="jp-Cabinet-page-section" aria-labelledby={id}>
      <header className="jp-Cabinet-page-section-head">
        <h3 id={id}>{props.title}</h3>
        {props.note && <span className="jp-Cabinet-quiet">{props.note}</span>}
        {props.actions && <span className="jp-Cabinet-page-section-actions">{props.actions}</span>}
      </header>
      {props.children}
    </section>
  );
}

/** A button that is off, and says why, where the person may not. It stays in the order of focus then. */
export function MayButton(props: {
  label: string;
  whyNot: string | null;
  onClick: () => void;
  icon?: LabIcon;
  filled?: boolean;
  busy?: boolean;
  disabled?: boolean;
}): React.ReactElement {
  const { whyNot, ...rest } = props;
  return <Button {...rest} disabled={rest.disabled && whyNot === null} blocked={whyNot} />;
}

/** Why something was not done. */
export function Refused({ text }: { text: string | null }): React.ReactElement | null {
  return text === null ? null : (
    <div role="alert" className="jp-Cabinet-page-refused">
      <Untrusted text={text} />
    </div>
  );
}

/** That there is nothing, and what to do. */
export function Nothing({ children }: { children: React.ReactNode }): React.ReactElement {
  return <p className="jp-Cabinet-page-nothing jp-Cabinet-quiet">{children}</p>;
}

/** A choice of few values, as a native select. */
export function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  disabled?: boolean;
  onChoose: (value: T) => void;
}): React.ReactElement {
  return (
    <select
      className="jp-Cabinet-page-select"
      aria-label={props.label}
      value={props.value}
      disabled={props.disabled}
      onChange={event => props.onChoose(event.target.value as T)}
    >
      {props.options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** Whether what had the focus is gone. */
export function isFocusLost(): boolean {
  const { activeElement, body } = document;
  return activeElement === null || activeElement === body;
}
