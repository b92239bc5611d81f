/**
 * Who the agent is: the usual fields as a form, and the whole file beside it.
 */
import * as React from 'react';

import type { AgentDetail } from '../../../api/types';
import { Untrusted } from '../../../shared/views/Untrusted';
import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Difference } from '../Difference';
import { Upcoming } from '../Upcoming';
import { MayButton, Refused, Section } from '../parts';
import { PERSONA } from '../../stores/page/steeringFiles';
import { EarlierVersions } from './EarlierVersions';
import { usePage, useWhyNot } from './services';
import { TextEditor } from '../TextEditor';

export function Persona({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { page, trans } = usePage();
  const why = useWhyNot(agent.owner);
  const text = page.persona();
  return (
    <div className="jp-Cabinet-page-split jp-mod-even">
      <div className="jp-Cabinet-page-list">
        <Unconfirmed agent={agent} />
        <Form agent={agent} whyNot={why} />
        <Schedule agent={agent} />
        {agent.errors.map(({ field, message }) => (
          <Refused key={`${field} ${message}`} text={trans.__('%1: %2', field, message)} />
        ))}
        {[...agent.notes, ...agent.unenforced].map(note => (
          <p key={note} className="jp-Cabinet-page-text">
            <Untrusted text={note} />
          </p>
        ))}
      </div>
      <div className="jp-Cabinet-page-beside">
        <TextEditor text={text} label={PERSONA} whyNot={why} version={agent.etag} />
        <EarlierVersions file={PERSONA} whyNot={why} />
      </div>
    </div>
  );
}

/** Fields that grant power and texts that steer, as they are and as they were confirmed. */
function Unconfirmed({ agent }: { agent: AgentDetail }): React.ReactElement | null {
  const { confirm, trans } = usePage();
  const why = useWhyNot(agent.owner);
  if (agent.confirmed || agent.difference.length === 0) {
    return null;
  }
  return (
    <Section
      title={trans.__('Not confirmed')}
      actions={
        <MayButton label={trans.__('Confirm…')} whyNot={why} onClick={() => void confirm()} />
      }
    >
      <Difference rows={agent.difference} trans={trans} />
    </Section>
  );
}

function useFields(): readonly (readonly [string, string])[] {
  const { trans } = usePage();
  return [
    ['name', trans.__('Name')],
    ['emoji', trans.__('Emoji')],
    ['role', trans.__('Role')],
    ['department', trans.__('Department')],
    ['tags', trans.__('Tags, with commas')],
    ['runtime', trans.__('Runtime')],
    ['model', trans.__('Model')],
    ['permission_mode', trans.__('Permission: ask, edit or bypass')],
    ['tool_preset', trans.__('Tools: none, coding, messaging, full')],
    ['heartbeat', trans.__('Heartbeat')],
    ['timezone', trans.__('Time zone')],
    ['active_hours', trans.__('Active hours')],
    ['budget', trans.__('Heartbeats a month')],
    ['workdir', trans.__('Folder')]
  ];
}

function Form(props: { agent: AgentDetail; whyNot: string | null }): React.ReactElement {
  const { agent, whyNot } = props;
  const { page, trans } = usePage();
  const fields = useFields();
  const form = page.fields(agent);
  useChanges(form.changed);
  React.useEffect(() => form.look(agent), [form, agent]);
  return (
    <form
      className="jp-Cabinet-page-fields"
      aria-label={trans.__('Fields of the persona')}
      onSubmit={event => {
        event.preventDefault();
        if (whyNot === null) {
          void form.save();
        }
      }}
    >
      {fields.map(([name, label]) => {
        const { before, text, theirs } = form.field(name);
        return (
          <label key={name} className="jp-Cabinet-page-label">
            <span>{label}</span>
            <input
              className="jp-Cabinet-page-field"
              name={name}
              value={text}
              readOnly={whyNot !== null || before === null}
              title={whyNot ?? (before === null ? trans.__('Change it in the file.') : undefined)}
              onChange={event => form.write(name, event.target.value)}
            />
            {theirs !== null && (
              <span className="jp-Cabinet-page-refused">
                {trans.__('Now:')} <Untrusted text={theirs || '–'} />
              </span>
            )}
          </label>
        );
      })}
      <Refused text={form.refusal} />
      {form.isConflict && (
        <p role="alert" className="jp-Cabinet-page-refused">
          {trans.__('The persona was changed since you began. Nothing was saved.')}
        </p>
      )}
      <div className="jp-Cabinet-page-bar">
        {form.isConflict ? (
          <>
            <Button label={trans.__('Keep mine')} onClick={() => form.keepMine()} />
            <Button label={trans.__('Take theirs')} onClick={() => form.takeTheirs()} />
          </>
        ) : (
          <MayButton
            filled
            label={trans.__('Save fields')}
            whyNot={whyNot}
            busy={form.isBusy}
            disabled={!form.isDirty}
            onClick={() => void form.save()}
          />
        )}
      </div>
      <input type="submit" hidden />
    </form>
  );
}

/** When it wakes, in words, and the next five times here. */
function Schedule({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { trans } = usePage();
  return (
    <Section title={trans.__('Next five runs')} note={<Untrusted text={agent.schedule} />}>
      <Upcoming times={agent.upcoming} trans={trans} />
      {agent.upcoming.length === 0 && (
        <p className="jp-Cabinet-page-text jp-Cabinet-quiet">
          {trans.__('None by schedule. It runs when somebody starts it.')}
        </p>
      )}
    </Section>
  );
}
