/**
 * A decision that the server refused because somebody has edited the same lines since.
 */
import * as React from 'react';

import type { Run } from '../../api/types';
import { warningIcon } from '../../shared/icons';
import { Button, Icon, Strip } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { useChangesServices } from './services';

export function Refusal({ run }: { run: Run }): React.ReactElement | null {
  const { changes, trans } = useChangesServices();
  const refusal = changes.refusal(run);
  const problem = changes.problem(run);
  if (!refusal) {
    return problem ? (
      <Strip tone="warning" icon={<Icon icon={warningIcon} />}>
        <Untrusted text={problem} />
      </Strip>
    ) : null;
  }
  const { asked, decision, part, paths } = refusal;
  const others = (asked ?? changes.of(run)?.files.map(({ path }) => path) ?? []).filter(
    path => !paths.includes(path)
  );
  return (
    <Strip
      tone="warning"
      icon={<Icon icon={warningIcon} />}
      actions={
        <>
          {others.length > 0 && (
            <Button
              label={trans.__('Revert only the other files')}
              onClick={() => void changes.decide(run, decision, others)}
            />
          )}
          <Button
            label={trans.__('Revert anyway')}
            onClick={() => void changes.decide(run, decision, asked, { part, anyway: true })}
          />
          <Button label={trans.__('Cancel')} onClick={() => changes.dismissRefusal(run)} />
        </>
      }
    >
      <Untrusted text={refusal.message} />
    </Strip>
  );
}
