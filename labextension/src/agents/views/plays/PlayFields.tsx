/**
 * The usual fields of a play, for a new one and an existing one. Each error is shown below its field.
 */
import * as React from 'react';

import { useChanges } from '../../../shared/views/hooks';
import { type IScheduleDraft, NO_SCHEDULE, SCHEDULES } from '../../stores/plays/draft';
import { scheduleTypeWords } from '../../stores/plays/words';
import { type IFieldsProps, Select, Text } from './controls';
import { PlayTriggers } from './PlayTriggers';
import { usePlays } from './services';

/** `children`: shown below its title and its agent. */
export function PlayFields({
  children,
  form,
  whyNot
}: React.PropsWithChildren<IFieldsProps>): React.ReactElement {
  const { trans } = usePlays();
  useChanges(form.changed);
  const { draft } = form;
  const given = { form, whyNot };
  return (
    <>
      <Text
        {...given}
        field="title"
        label={trans.__('Title')}
        value={draft.title}
        onWrite={title => form.write({ title })}
      />
      <Agent {...given} />
      {children}
      <Schedule {...given} />
      <PlayTriggers {...given} />
      <Text
        {...given}
        field="timeout_seconds"
        label={trans.__('Time limit in seconds')}
        hint="300"
        value={draft.seconds}
        onWrite={seconds => form.write({ seconds })}
      />
      <Text
        {...given}
        field="post_to"
        label={trans.__('Post the answer to')}
        hint={trans.__('The name of a chat, from Channels')}
        value={draft.postTo}
        onWrite={postTo => form.write({ postTo })}
      />
      <Text
        {...given}
        field="tools"
        label={trans.__('Tools, separated by commas')}
        hint={trans.__('The tools of its agent')}
        value={draft.tools ?? ''}
        whyNot={
          whyNot ??
          (draft.tools === null
            ? trans.__('The form cannot show this value. Edit it in the file.')
            : null)
        }
        onWrite={tools => form.write({ tools })}
      />
      <Text
        {...given}
        field="category"
        label={trans.__('Category')}
        value={draft.category}
        onWrite={category => form.write({ category })}
      />
    </>
  );
}

/** Who carries it out. One that is not among those that we know stays. */
function Agent({ form, whyNot }: IFieldsProps): React.ReactElement {
  const { agents, trans } = usePlays();
  const { agent } = form.draft;
  React.useEffect(() => agents.watchAll(), [agents]);
  useChanges(agents.changed);
  const known = (agents.rows ?? []).map(({ name, slug }): [string, string] => [
    slug,
    name === slug ? slug : `${name} (${slug})`
  ]);
  const isKnown = agent === '' || known.some(([slug]) => slug === agent);
  return (
    <Select
      form={form}
      whyNot={whyNot}
      field="agent"
      label={trans.__('Agent')}
      value={agent}
      options={[
        ['', trans.__('The first active agent that lists it')],
        ...known,
        ...(isKnown ? [] : [[agent, agent] as [string, string]])
      ]}
      onChoose={chosen => form.write({ agent: chosen })}
    />
  );
}

function Schedule({ form, whyNot }: IFieldsProps): React.ReactElement {
  const { trans } = usePlays();
  const { schedule } = form.draft;
  const write = (change: Partial<IScheduleDraft>) =>
    form.write({ schedule: { ...schedule, ...change } });
  const text = (name: keyof IScheduleDraft, label: string, hint: string) => (
    <Text
      form={form}
      whyNot={whyNot}
      field={`schedule.${name}`}
      label={label}
      hint={hint}
      value={schedule[name]}
      onWrite={value => write({ [name]: value })}
    />
  );
  const { type } = schedule;
  return (
    <fieldset className="jp-Cabinet-play-group">
      <Select
        form={form}
        whyNot={whyNot}
        field="schedule"
        label={trans.__('Schedule')}
        value={type}
        options={SCHEDULES.map(each => [each, scheduleTypeWords(each, trans)] as const)}
        onChoose={chosen =>
          chosen ? write({ type: chosen }) : form.write({ schedule: NO_SCHEDULE })
        }
      />
      {type === 'interval' && text('every', trans.__('Every'), '30m')}
      {type === 'cron' && text('cron', trans.__('Expression'), '0 8 * * 1-5')}
      {type === 'weekly' && text('days', trans.__('Days'), 'mon-fri')}
      {(type === 'daily' || type === 'weekly') && text('at', trans.__('At'), '08:30')}
      {type !== '' && type !== 'interval' && (
        <>{text('timezone', trans.__('Time zone'), 'Europe/Berlin')}</>
      )}
      {type !== '' && text('hours', trans.__('Active hours'), 'mon-fri 09:00-17:00')}
    </fieldset>
  );
}
