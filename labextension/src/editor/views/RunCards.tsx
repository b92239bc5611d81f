/**
 * The states of a run that are a card: queued, and ended badly.
 */
import { terminalIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { JUPYTER_TERMINAL } from '../../shared/commands';
import type { Run } from '../../api/types';
import { clockIcon } from '../../shared/icons';
import { isDenied, runLabel } from '../../runs';
import { Button, Card, Icon, StateMark } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { useServices } from './services';
import { Untrusted } from '../../shared/views/Untrusted';

export function QueuedCard(): React.ReactElement {
  const { trans, runs } = useServices();
  useChanges(runs.changed);
  const working = runs.working.length;
  return (
    <Card
      icon={<Icon icon={clockIcon} />}
      title={
        working
          ? trans._n('%1 run is working', '%1 runs are working', working)
          : trans.__('Waiting for a place')
      }
    >
      {trans.__('This one starts when a place is free.')}
    </Card>
  );
}

export function FailedCard({ run }: { run: Run }): React.ReactElement {
  const { trans, run: execute, has, showOutput, runtimes } = useServices();
  const loggedOut = run.failure?.kind === 'not_logged_in';
  const hint = runtimes.items?.find(row => row.name === run.runtime)?.login_hint;
  const title = run.failure?.message || run.reason || trans.__('%1 stopped', run.runtime_title);
  return (
    <Card
      icon={<StateMark icon={runLabel(run, trans).icon} />}
      title={<Untrusted text={isDenied(run) ? trans.__('Denied: %1', title) : title} />}
      actions={
        <>
          {loggedOut && has(JUPYTER_TERMINAL) && (
            <Button
              icon={terminalIcon}
              label={trans.__('Log in in a terminal')}
              onClick={() => execute(JUPYTER_TERMINAL)}
            />
          )}
          <Button label={trans.__('Output')} onClick={() => void showOutput(run.id)} />
        </>
      }
    >
      {loggedOut && hint ? (
        <Untrusted text={hint} />
      ) : (
        run.reason !== title && <Untrusted text={run.reason} />
      )}
    </Card>
  );
}
