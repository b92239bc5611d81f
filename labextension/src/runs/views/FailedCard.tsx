/**
 * A run that ended badly: why, and what to do.
 */
import { terminalIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { Run } from '../../api/types';
import { useApprovals } from '../../approvals/views';
import { Button, Card, StateMark } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { deniedText, isDenied, runLabel } from '../stores/labels';

/** Below an `ApprovalContext`. */
export function FailedCard(props: {
  run: Run;
  /** How one logs in to the run's CLI. */
  loginHint?: string;
  /** Opens a terminal to log in; null if that is impossible. */
  onLogIn?: (() => void) | null;
  /** Nothing can be done from here. */
  inert?: boolean;
}): React.ReactElement {
  const { run, loginHint, onLogIn, inert } = props;
  const { showOutput, trans } = useApprovals();
  const loggedOut = run.failure?.kind === 'not_logged_in';
  const title = run.failure?.message || run.reason || trans.__('%1 stopped', run.runtime_title);
  return (
    <Card
      icon={<StateMark icon={runLabel(run, trans).icon} />}
      title={<Untrusted text={isDenied(run) ? deniedText(title, trans) : title} />}
      actions={
        !inert && (
          <>
            {loggedOut && onLogIn && (
              <Button
                icon={terminalIcon}
                label={trans.__('Log in in a terminal')}
                onClick={onLogIn}
              />
            )}
            <Button label={trans.__('Output')} onClick={() => void showOutput(run.id)} />
          </>
        )
      }
    >
      {loggedOut && loginHint ? (
        <Untrusted text={loginHint} />
      ) : (
        run.reason !== title && <Untrusted text={run.reason} />
      )}
    </Card>
  );
}
