/**
 * When an agent wakes by itself, and the next five times as the server has them.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { AgentDetail } from '../../../api/types';
import { Untrusted } from '../../../shared/views/Untrusted';
import { timeZones } from '../../stores/page/personaText';
import {
  type ISchedule,
  SCHEDULE_KINDS,
  type ScheduleKind,
  UNITS,
  withKind
} from '../../stores/page/schedule';
import { Upcoming } from '../Upcoming';
import {
  type IFormProps,
  Labelled,
  Select,
  SelectField,
  SwitchField,
  TextField
} from './personaControls';
import { usePage } from './services';

export function PersonaSchedule(props: IFormProps & { agent: AgentDetail }): React.ReactElement {
  const { agent, form, whyNot } = props;
  const { trans } = usePage();
  const { theirs, value } = form.group('schedule');
  return (
    <fieldset className="jp-Cabinet-persona-group">
      <legend>{trans.__('Schedule')}</legend>
      <SwitchField
        {...props}
        name="active"
        isUsual
        label={trans.__('Active. An inactive agent runs only when somebody starts it.')}
      />
      <Labelled form={form} name="kind" label={trans.__('Frequency')} theirs={theirs}>
        {given => (
          <Select<ScheduleKind>
            given={given}
            options={SCHEDULE_KINDS.map(each => [each, kindWords(each, trans)])}
            value={value?.kind ?? 'none'}
            whyNot={whyNot}
            isShown={value !== null}
            onChoose={kind => value && form.writeGroup('schedule', withKind(value, kind))}
          />
        )}
      </Labelled>
      {value && <When {...props} schedule={value} />}
      <TimeZone {...props} />
      <TextField
        {...props}
        name="active_hours"
        label={trans.__('Active hours')}
        hint={trans.__('For example mon-fri 09:00-17:30. If empty, at any time.')}
      />
      <TextField
        {...props}
        name="post_to"
        label={trans.__('Post answers to')}
        hint={trans.__('The name of a chat, from Channels. If empty, answers are not posted.')}
      />
      <SelectField
        {...props}
        name="reflection"
        label={trans.__('Reflection')}
        value="off"
        options={[
          ['off', trans.__('Only when you start it')],
          ['propose', trans.__('After ten heartbeats')]
        ]}
      />
      <TextField {...props} name="budget" label={trans.__('Heartbeats per month')} />
      <Next agent={agent} isChanged={NAMES.some(name => form.isChanged(name))} />
    </fieldset>
  );
}

/** What decides when it wakes. */
const NAMES = ['active', 'schedule', 'timezone', 'active_hours'];

/** The fields of the kind that is chosen. */
function When(props: IFormProps & { schedule: ISchedule }): React.ReactElement | null {
  const { form, schedule, whyNot } = props;
  const { trans } = usePage();
  const write = (change: Partial<ISchedule>) =>
    form.writeGroup('schedule', { ...schedule, ...change });
  const given = { className: 'jp-Cabinet-page-field', readOnly: whyNot !== null };
  switch (schedule.kind) {
    case 'none':
      return null;
    case 'interval':
      return (
        <Labelled form={form} name="schedule" label={trans.__('Every')}>
          {control => (
            <span className="jp-Cabinet-persona-interval">
              <input
                {...control}
                {...given}
                inputMode="numeric"
                value={schedule.count}
                onChange={event => write({ count: event.target.value })}
              />
              <Select<ISchedule['unit']>
                given={{ 'aria-label': trans.__('Unit of time') }}
                options={UNITS.map(each => [each, unitWords(each, trans)])}
                value={schedule.unit}
                whyNot={whyNot}
                isShown
                onChoose={unit => write({ unit })}
              />
            </span>
          )}
        </Labelled>
      );
    case 'cron':
      return (
        <Labelled
          form={form}
          name="schedule"
          label={trans.__('Cron expression')}
          hint={trans.__('Minute, hour, day of month, month, day of week; or @weekly, @monthly.')}
        >
          {control => (
            <input
              {...control}
              {...given}
              autoComplete="off"
              value={schedule.cron}
              onChange={event => write({ cron: event.target.value })}
            />
          )}
        </Labelled>
      );
    default:
      return (
        <Labelled form={form} name="schedule" label={trans.__('At')}>
          {control => (
            <input
              {...control}
              {...given}
              type="time"
              value={schedule.time}
              onChange={event => write({ time: event.target.value })}
            />
          )}
        </Labelled>
      );
  }
}

function TimeZone(props: IFormProps): React.ReactElement {
  const { trans } = usePage();
  const id = React.useId();
  const zones = React.useMemo(timeZones, []);
  return (
    <>
      <TextField
        {...props}
        name="timezone"
        list={id}
        label={trans.__('Time zone')}
        hint={trans.__('If empty, the time zone of this server is used.')}
      />
      <datalist id={id}>
        {zones.map(zone => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

/** In words, and the next five times, in the browser's time zone. */
function Next(props: { agent: AgentDetail; isChanged: boolean }): React.ReactElement {
  const { agent, isChanged } = props;
  const { trans } = usePage();
  return (
    <div className="jp-Cabinet-persona-next">
      <strong>{trans.__('Next five runs')}</strong>{' '}
      <span className="jp-Cabinet-quiet">
        <Untrusted text={agent.schedule} />
      </span>
      {isChanged && <p>{trans.__('Save the fields to see the new times.')}</p>}
      <Upcoming times={agent.upcoming} trans={trans} />
      {agent.upcoming.length === 0 && (
        <p className="jp-Cabinet-quiet">
          {trans.__('Nothing is scheduled. It runs when somebody starts it.')}
        </p>
      )}
    </div>
  );
}

function kindWords(kind: ScheduleKind, trans: TranslationBundle): string {
  switch (kind) {
    case 'none':
      return trans.__('Without a schedule');
    case 'interval':
      return trans.__('At an interval');
    case 'daily':
      return trans.__('Daily');
    case 'weekdays':
      return trans.__('On weekdays');
    case 'cron':
      return trans.__('Cron expression');
  }
}

function unitWords(unit: ISchedule['unit'], trans: TranslationBundle): string {
  const words = { m: trans.__('minutes'), h: trans.__('hours'), d: trans.__('days') };
  return words[unit];
}
