/**
 * Who carries out a plan or a step.
 */
import * as React from 'react';

import { visible } from '../../shared/untrusted';
import { FormField } from '../../shared/views/FormDialog';
import { useChanges } from '../../shared/views/hooks';
import { WorkerOptions } from '../../shared/views/WorkerOptions';
import type { Worker } from '../stores/forms';
import { usePlans } from './services';

/** Runtimes, and below them agents. `none`: what the choice of none is called. */
export function WorkerField(props: {
  none: string;
  value: Worker;
  wrong?: string;
  hint?: string;
  onChange: (value: Worker) => void;
}): React.ReactElement {
  const { none, onChange, value } = props;
  const { agents, runtimes, trans } = usePlans();
  useChanges(agents.changed, runtimes.changed);
  React.useEffect(() => agents.watchAll(), [agents]);
  const rows = agents.rows ?? [];
  const known = [
    '',
    ...runtimes.found.map(({ name }) => `runtime:${name}`),
    ...rows.map(({ slug }) => `agent:${slug}`)
  ];
  return (
    <FormField label={trans.__('Agent or runtime')} wrong={props.wrong ?? null} hint={props.hint}>
      {given => (
        <select {...given} value={value} onChange={event => onChange(event.target.value)}>
          <option value="">{none}</option>
          {!known.includes(value) && (
            <option value={value}>{visible(value.slice(value.indexOf(':') + 1))}</option>
          )}
          <WorkerOptions runtimes={runtimes.found} agents={rows} trans={trans} />
        </select>
      )}
    </FormField>
  );
}
