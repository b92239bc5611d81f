/**
 * The controls that the form of a persona is made of: a label, a value, and what is wrong with it.
 */
import * as React from 'react';

import { visible } from '../../../shared/untrusted';
import { Untrusted } from '../../../shared/views/Untrusted';
import type { PersonaForm } from '../../stores/page/personaForm';
import { fieldErrorText } from '../../stores/fieldErrorText';
import { usePage } from './services';

/** `whyNot`: why the person may look only. */
export interface IFormProps {
  form: PersonaForm;
  whyNot: string | null;
}

/** What the control of a field has to have. */
interface IGiven {
  id: string;
  name: string;
  'aria-invalid': boolean;
  'aria-describedby': string;
}

/** A label, its control, and below it an error or a hint. It also shows what somebody else has written meanwhile. */
export function Labelled(props: {
  form: PersonaForm;
  name: string;
  label: string;
  hint?: string;
  theirs?: string | null;
  children: (given: IGiven) => React.ReactNode;
}): React.ReactElement {
  const { form, hint, label, name, theirs = null } = props;
  const id = React.useId();
  const [onInput, wrong] = useWrong(form, name);
  const note = `${id}-note`;
  return (
    <div className="jp-Cabinet-page-label" onInput={onInput}>
      <label htmlFor={id}>{label}</label>
      {props.children({ id, name, 'aria-invalid': wrong !== null, 'aria-describedby': note })}
      <span id={note} className={wrong === null ? 'jp-Cabinet-quiet' : 'jp-mod-wrong'}>
        {wrong ?? hint}
      </span>
      <Theirs text={theirs} />
    </div>
  );
}

/**
 * What is wrong with a field that the person has written in or wants to save, and how to say that they have written. It
 * appears with a key and not when the field is left: what moves then is missed by the click that leaves it.
 */
export function useWrong(form: PersonaForm, name: string): readonly [() => void, string | null] {
  const { trans } = usePage();
  const [isWritten, setWritten] = React.useState(false);
  const code = isWritten || form.isTried ? form.wrong[name] : undefined;
  return [() => setWritten(true), code === undefined ? null : fieldErrorText(code, trans)];
}

/** What somebody else has saved while this person changes the same. */
export function Theirs({ text }: { text: string | null }): React.ReactElement | null {
  const { trans } = usePage();
  return text === null ? null : (
    <span className="jp-mod-wrong">
      {trans.__('Now:')} <Untrusted text={text || '–'} />
    </span>
  );
}

export function TextField(
  props: IFormProps & { name: string; label: string; hint?: string; list?: string }
): React.ReactElement {
  const { form, list, name, whyNot } = props;
  const { trans } = usePage();
  const { before, text, theirs } = form.field(name);
  return (
    <Labelled {...props} theirs={theirs}>
      {given => (
        <input
          {...given}
          className="jp-Cabinet-page-field"
          value={text}
          list={list}
          autoComplete="off"
          readOnly={whyNot !== null || before === null}
          title={
            whyNot ??
            (before === null
              ? trans.__('The form cannot show this value. Edit it in the file.')
              : undefined)
          }
          onChange={event => form.write(name, event.target.value)}
        />
      )}
    </Labelled>
  );
}

/** `value`: the text that counts where the field is empty. */
export function SelectField(
  props: IFormProps & {
    name: string;
    label: string;
    hint?: string;
    options: readonly (readonly [string, string])[];
    value?: string;
  }
): React.ReactElement {
  const { form, name, options, value, whyNot } = props;
  const { before, text, theirs } = form.field(name);
  return (
    <Labelled {...props} theirs={theirs}>
      {given => (
        <Select
          given={given}
          options={options}
          value={text || (value ?? '')}
          whyNot={whyNot}
          isShown={before !== null}
          onChoose={chosen => form.write(name, chosen)}
        />
      )}
    </Labelled>
  );
}

/** `isShown`: the file has something there that a form can show. */
export function Select<T extends string>(props: {
  given: object;
  options: readonly (readonly [T, string])[];
  value: T;
  whyNot: string | null;
  isShown: boolean;
  onChoose: (value: T) => void;
}): React.ReactElement {
  const { given, isShown, onChoose, options, value, whyNot } = props;
  const { trans } = usePage();
  const isListed = isShown && options.some(([each]) => each === value);
  return (
    <select
      {...given}
      className="jp-Cabinet-page-select"
      value={isShown ? value : ''}
      disabled={whyNot !== null || !isShown}
      title={
        whyNot ??
        (isShown ? undefined : trans.__('The form cannot show this value. Edit it in the file.'))
      }
      onChange={event => onChoose(event.target.value as T)}
    >
      {!isListed && <option value={isShown ? value : ''}>{isShown ? visible(value) : '–'}</option>}
      {options.map(([each, words]) => (
        <option key={each} value={each}>
          {visible(words)}
        </option>
      ))}
    </select>
  );
}

/** A yes or no. `isUsual`: which of them it is if the file says nothing. */
export function SwitchField(
  props: IFormProps & { name: string; label: string; isUsual: boolean }
): React.ReactElement {
  const { form, isUsual, label, name, whyNot } = props;
  const { before, text, theirs } = form.field(name);
  return (
    <div className="jp-Cabinet-persona-check">
      <label>
        <input
          type="checkbox"
          name={name}
          checked={isUsual ? text !== 'false' : text === 'true'}
          disabled={whyNot !== null || before === null}
          title={whyNot ?? undefined}
          onChange={event => form.write(name, switchText(event.target.checked, before, isUsual))}
        />
        {label}
      </label>
      <Theirs text={theirs} />
    </div>
  );
}

/** As it is usual again as it was written: without the field, or with it. */
function switchText(isOn: boolean, before: string | null, isUsual: boolean): string {
  return isOn === isUsual && before === '' ? '' : String(isOn);
}
