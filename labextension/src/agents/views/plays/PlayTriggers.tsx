/**
 * What else than its schedule starts a play, in its form.
 */
import { closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../../../shared/views/components';
import { type ITriggerDraft, newTrigger, TRIGGERS } from '../../stores/plays/draft';
import { exampleWords, typeWords } from '../../stores/plays/words';
import { type IFieldsProps, Select, Text } from './controls';
import { usePlays } from './services';

export function PlayTriggers({ form, whyNot }: IFieldsProps): React.ReactElement {
  const { trans } = usePlays();
  const { triggers } = form.draft;
  const write = (changed: readonly ITriggerDraft[]) => form.write({ triggers: changed });
  return (
    <fieldset className="jp-Cabinet-play-group">
      <legend>{trans.__('Other triggers')}</legend>
      {triggers.map((trigger, index) => (
        <div key={index} className="jp-Cabinet-play-trigger">
          <Trigger
            form={form}
            whyNot={whyNot}
            trigger={trigger}
            field={`triggers[${index + 1}]`}
            onWrite={change =>
              write(triggers.map((each, at) => (at === index ? { ...each, ...change } : each)))
            }
          />
          <Button
            bare
            icon={closeIcon}
            label={trans.__('Remove: %1', typeWords(trigger.type, trans))}
            blocked={whyNot}
            onClick={() => write(triggers.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <select
        className="jp-Cabinet-page-select"
        aria-label={trans.__('Add a trigger')}
        value=""
        disabled={whyNot !== null}
        title={whyNot ?? undefined}
        onChange={event =>
          write([...triggers, newTrigger(event.target.value as ITriggerDraft['type'])])
        }
      >
        <option value="">{trans.__('Add a trigger…')}</option>
        {TRIGGERS.map(type => (
          <option key={type} value={type}>
            {typeWords(type, trans)}
          </option>
        ))}
      </select>
    </fieldset>
  );
}

/** The triggers that name an agent. */
const OF_AN_AGENT: ReadonlySet<ITriggerDraft['type']> = new Set([
  'goal_behind',
  'agent_message',
  'agent_started',
  'agent_stopped'
] as const);

function Trigger(
  props: IFieldsProps & {
    trigger: ITriggerDraft;
    field: string;
    onWrite: (change: Partial<ITriggerDraft>) => void;
  }
): React.ReactElement {
  const { field, onWrite, trigger, ...given } = props;
  const { plays, trans } = usePlays();
  const text = (name: 'metric' | 'path' | 'agent', label: string, hint: string) => (
    <Text
      {...given}
      field={`${field}.${name}`}
      label={label}
      hint={hint}
      value={trigger[name]}
      onWrite={value => onWrite({ [name]: value })}
    />
  );
  const names = (plays?.plays ?? []).map(({ slug }) => slug);
  const options = [...new Set(['', ...names, trigger.play])];
  return (
    <div
      className="jp-Cabinet-play-trigger-fields"
      role="group"
      aria-label={typeWords(trigger.type, trans)}
    >
      <strong>{typeWords(trigger.type, trans)}</strong>
      {trigger.type === 'on_complete' && (
        <>
          <Select
            {...given}
            field={`${field}.play`}
            label={trans.__('Play')}
            value={trigger.play}
            options={options.map(each => [each, each || trans.__('Any other play')] as const)}
            onChoose={play => onWrite({ play })}
          />
          <Select
            {...given}
            field={`${field}.status`}
            label={trans.__('When')}
            value={trigger.status}
            options={[
              ['succeeded', trans.__('It has succeeded')],
              ['failed', trans.__('It has failed')]
            ]}
            onChoose={status => onWrite({ status })}
          />
        </>
      )}
      {trigger.type === 'file_changed' && text('path', trans.__('Path'), 'docs/**/*.md, reports/')}
      {trigger.type === 'goal_behind' && text('metric', trans.__('Goal'), trans.__('Any goal'))}
      {OF_AN_AGENT.has(trigger.type) &&
        text('agent', trans.__('Agent'), trans.__('The agent of the play'))}
      <p className="jp-Cabinet-quiet">{exampleWords(trigger.type, trans)}</p>
    </div>
  );
}
