/**
 * Who the agent is: the usual fields as a form, and the whole file beside it.
 */
import * as React from 'react';

import type { AgentDetail } from '../../../api/types';
import { Untrusted } from '../../../shared/views/Untrusted';
import { Difference } from '../Difference';
import { MayButton, Refused, Section } from '../parts';
import { PERSONA } from '../../stores/page/steeringFiles';
import { EarlierVersions } from './EarlierVersions';
import { PersonaFields } from './PersonaFields';
import { usePage, useWhyNot } from './services';
import { TextEditor } from '../TextEditor';

export function Persona({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { page, trans } = usePage();
  const why = useWhyNot(agent);
  const text = page.persona();
  return (
    <div className="jp-Cabinet-page-split jp-mod-even">
      <div className="jp-Cabinet-page-list">
        <Unconfirmed agent={agent} />
        <PersonaFields agent={agent} whyNot={why} />
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
  const why = useWhyNot(agent);
  if (agent.confirmed || agent.difference.length === 0) {
    return null;
  }
  return (
    <Section
      title={trans.__('Needs confirmation')}
      actions={
        <MayButton label={trans.__('Confirm…')} whyNot={why} onClick={() => void confirm()} />
      }
    >
      <Difference rows={agent.difference} trans={trans} />
    </Section>
  );
}
