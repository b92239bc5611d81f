/**
 * The form of one rule.
 */
import * as React from 'react';

import type { ApprovalRule } from '../../api/types';
import { Button } from '../../shared/views/components';
import {
  EMPTY_RULE,
  fieldsOf,
  isStillWrong,
  type IRuleFields,
  type RuleEffect,
  type RuleKind,
  ruleOf
} from '../stores/ruleForm';
import type { RuleStore } from '../stores/rules';
import { useApprovals } from './services';

export function RuleForm(props: {
  rules: RuleStore;
  /** Null for a new one. */
  rule: ApprovalRule | null;
  onClose: () => void;
}): React.ReactElement {
  const { onClose, rule, rules } = props;
  const { trans } = useApprovals();
  const [fields, setFields] = React.useState<IRuleFields>(() =>
    rule ? fieldsOf(rule, new Date()) : EMPTY_RULE
  );
  const [wrong, setWrong] = React.useState<'what' | 'days' | null>(null);
  const [problem, setProblem] = React.useState('');
  const problemId = React.useId();
  const form = React.useRef<HTMLFormElement>(null);
  const first = React.useRef<HTMLSelectElement>(null);
  React.useEffect(() => first.current?.focus(), []);
  const change = (changed: Partial<IRuleFields>) => {
    const next = { ...fields, ...changed };
    setFields(next);
    if (wrong !== null && !isStillWrong(wrong, next, trans)) {
      setWrong(null);
      setProblem('');
    }
  };
  const save = async () => {
    const made = ruleOf(fields, new Date(), trans);
    if ('problem' in made) {
      setProblem(made.problem);
      setWrong(made.field);
      form.current!.querySelector<HTMLElement>(`[name=${made.field}]`)!.focus();
      return;
    }
    setProblem('');
    setWrong(null);
    const saved = rule ? rules.replace(rule.id, made.rule) : rules.add(made.rule);
    if (await saved) {
      onClose();
    }
  };
  const kinds: [RuleKind, string][] = [
    ['command', trans.__('Command')],
    ['edit', trans.__('Edit files')],
    ['fetch', trans.__('Fetch web pages')],
    ['tool', trans.__('Use a tool')]
  ];
  const effects: [RuleEffect, string][] = [
    ['allow', trans.__('Allow')],
    ['ask', trans.__('Ask')],
    ['deny', trans.__('Deny')]
  ];
  return (
    <form
      ref={form}
      className="jp-Cabinet-rule-form"
      aria-label={rule ? trans.__('Edit the rule') : trans.__('New rule')}
      onKeyDown={event => event.key === 'Escape' && onClose()}
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <Choice
        label={trans.__('Effect')}
        value={fields.effect}
        options={effects}
        field={first}
        onChange={effect => change({ effect })}
      />
      <Choice
        label={trans.__('Action')}
        value={fields.kind}
        options={kinds}
        onChange={kind => change({ kind })}
      />
      {fields.kind === 'tool' && (
        <Text
          label={trans.__('Tool server')}
          hint={trans.__('empty: the CLI’s own tools')}
          value={fields.server}
          onChange={server => change({ server })}
        />
      )}
      <div className="jp-Cabinet-rule-pair">
        <Text
          label={whatLabel(fields.kind, trans)[0]}
          hint={whatLabel(fields.kind, trans)[1]}
          name="what"
          wrongId={wrong === 'what' ? problemId : undefined}
          value={fields.what}
          onChange={what => change({ what })}
        />
        {fields.kind === 'command' && fields.effect === 'allow' && (
          <Check
            label={trans.__('also with further arguments')}
            checked={fields.more}
            onChange={more => change({ more })}
          />
        )}
      </div>
      <div className="jp-Cabinet-rule-pair">
        <Text
          label={trans.__('Agent')}
          hint={trans.__('empty: every agent')}
          value={fields.agent}
          onChange={agent => change({ agent })}
        />
        {fields.agent.trim() === '' && (
          <Check
            label={trans.__('only without a named agent')}
            checked={fields.bare}
            onChange={bare => change({ bare })}
          />
        )}
      </div>
      <Text
        label={trans.__('Runtime')}
        hint={trans.__('empty: every CLI; such as claude')}
        value={fields.runtime}
        onChange={runtime => change({ runtime })}
      />
      <Text
        label={trans.__('Folder')}
        hint={trans.__('empty: everywhere')}
        value={fields.folder}
        onChange={folder => change({ folder })}
      />
      <Text
        label={trans.__('Valid for (days)')}
        hint={trans.__('empty: no limit')}
        name="days"
        wrongId={wrong === 'days' ? problemId : undefined}
        value={fields.days}
        onChange={days => change({ days })}
      />
      <Text
        label={trans.__('Note')}
        hint=""
        value={fields.note}
        onChange={note => change({ note })}
      />
      {problem && (
        <p id={problemId} className="jp-Cabinet-rule-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="jp-Cabinet-rule-actions">
        <button type="submit" className="jp-Cabinet-button jp-mod-filled">
          {trans.__('Save')}
        </button>
        <Button label={trans.__('Cancel')} onClick={onClose} />
      </div>
    </form>
  );
}

function whatLabel(
  kind: RuleKind,
  trans: ReturnType<typeof useApprovals>['trans']
): [string, string] {
  return {
    command: [trans.__('Command'), trans.__('for example: git status')],
    edit: [trans.__('Files'), trans.__('for example: docs/**')],
    fetch: [trans.__('Host'), trans.__('for example: *.example.org')],
    tool: [trans.__('Tool'), trans.__('its name, as the CLI gives it')]
  }[kind] as [string, string];
}

function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: [T, string][];
  field?: React.RefObject<HTMLSelectElement>;
  onChange: (value: T) => void;
}): React.ReactElement {
  return (
    <label className="jp-Cabinet-rule-field">
      <span>{props.label}</span>
      <select
        ref={props.field}
        className="jp-Cabinet-select"
        value={props.value}
        onChange={event => props.onChange(event.target.value as T)}
      >
        {props.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function Check(props: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}): React.ReactElement {
  return (
    <label className="jp-Cabinet-rule-check">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={event => props.onChange(event.target.checked)}
      />
      {props.label}
    </label>
  );
}

function Text(props: {
  label: string;
  hint: string;
  value: string;
  name?: string;
  /** The element that says what is wrong, if it is. */
  wrongId?: string;
  onChange: (value: string) => void;
}): React.ReactElement {
  return (
    <label className="jp-Cabinet-rule-field">
      <span>{props.label}</span>
      <input
        type="text"
        name={props.name}
        aria-invalid={props.wrongId !== undefined || undefined}
        aria-describedby={props.wrongId}
        value={props.value}
        placeholder={props.hint}
        onChange={event => props.onChange(event.target.value)}
      />
    </label>
  );
}
