/**
 * The controls that the form of a play is made of: a label, a value, and what is wrong with it.
 */
import * as React from 'react';

import { visible } from '../../../shared/untrusted';
import type { PlayForm } from '../../stores/plays/form';
import { wrongPlayWords } from '../../stores/plays/words';
import { usePlays } from './services';

/** `whyNot`: why the person may look only. */
export interface IFieldsProps {
  form: PlayForm;
  whyNot: string | null;
}

/** What the control of a field has to have. */
interface IGiven {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string;
}

/** A label, its control, and what is wrong with its value. */
export function Labelled(props: {
  form: PlayForm;
  field: string;
  label: string;
  children: (given: IGiven) => React.ReactNode;
}): React.ReactElement {
  const { field, form, label } = props;
  const { trans } = usePlays();
  const id = React.useId();
  const [wasLeft, leave] = React.useState(false);
  const wrong = wasLeft || form.isTried ? form.wrong[field] : undefined;
  const given = { id, 'aria-invalid': wrong !== undefined, 'aria-describedby': `${id}-wrong` };
  return (
    <div className="jp-Cabinet-page-label" onBlur={() => leave(true)}>
      <label htmlFor={id}>{label}</label>
      {props.children(given)}
      <span id={given['aria-describedby']} className="jp-Cabinet-page-refused">
        {wrong !== undefined && visible(wrongPlayWords(wrong, trans))}
      </span>
    </div>
  );
}

export function Text(
  props: IFieldsProps & {
    field: string;
    label: string;
    value: string;
    hint?: string;
    list?: string;
    onWrite: (text: string) => void;
  }
): React.ReactElement {
  const { field, form, hint, label, list, onWrite, value, whyNot } = props;
  return (
    <Labelled form={form} field={field} label={label}>
      {given => (
        <input
          {...given}
          className="jp-Cabinet-page-field"
          name={field}
          value={value}
          list={list}
          placeholder={hint}
          readOnly={whyNot !== null}
          title={whyNot ?? undefined}
          spellCheck={field === 'title'}
          onChange={event => onWrite(event.target.value)}
        />
      )}
    </Labelled>
  );
}

export function Select<T extends string>(
  props: IFieldsProps & {
    field: string;
    label: string;
    value: T;
    options: readonly (readonly [T, string])[];
    onChoose: (value: T) => void;
  }
): React.ReactElement {
  const { field, form, label, onChoose, options, value, whyNot } = props;
  return (
    <Labelled form={form} field={field} label={label}>
      {given => (
        <select
          {...given}
          className="jp-Cabinet-page-select"
          name={field}
          value={value}
          disabled={whyNot !== null}
          title={whyNot ?? undefined}
          onChange={event => onChoose(event.target.value as T)}
        >
          {options.map(([each, text]) => (
            <option key={each} value={each}>
              {visible(text)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
