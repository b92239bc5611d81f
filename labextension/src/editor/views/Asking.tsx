/**
 * What a run asks, over its terminal or its events.
 */
import { lockIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { Approval, Run } from '../../api/types';
import { titleText } from '../../approvals';
import { CompactCard, ownerOf, useApprovals } from '../../approvals/views';
import { Button, Icon, StateMark, Strip } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';

/** What the run asks: with its answers where they can be given here, else where they can be. */
export function Asking(props: {
  run: Run;
  onAnswer: (() => void) | null;
}): React.ReactElement | null {
  const { run, onAnswer } = props;
  const { store, trans } = useApprovals();
  useChanges(store.changed);
  const open = store.waitingOf(run.id);
  if (open.length) {
    return (
      <>
        {open.map(({ approval, may_answer }) =>
          may_answer ? (
            <CompactCard key={approval.id} approval={approval} />
          ) : (
            <OthersStrip key={approval.id} approval={approval} />
          )
        )}
      </>
    );
  }
  if (run.state !== 'waiting') {
    return null;
  }
  const words =
    run.mode === 'terminal' ? trans.__('Waiting, answer in the terminal') : trans.__('Waiting');
  const link = onAnswer && <Button link label={trans.__('Show the terminal')} onClick={onAnswer} />;
  return (
    <Strip tone="warning" icon={<StateMark icon="question" />} actions={link}>
      {words}
      {run.reason && (
        <>
          {': '}
          <Untrusted text={run.reason} />
        </>
      )}
    </Strip>
  );
}

function OthersStrip({ approval }: { approval: Approval }): React.ReactElement {
  const { trans } = useApprovals();
  const [title, who] = [titleText(approval, trans), ownerOf(approval)];
  return (
    <Strip tone="warning" icon={<Icon icon={lockIcon} />}>
      {trans.__('%1. Only %2 may answer.', title, who)}
    </Strip>
  );
}
