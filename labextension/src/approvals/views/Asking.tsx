/**
 * What a run asks: over its terminal, over its events, in a cell of a notebook.
 */
import { lockIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { ApprovalItem, Run } from '../../api/types';
import { Button, Icon, StateMark, Strip } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { visible } from '../../shared/untrusted';
import { Untrusted } from '../../shared/views/Untrusted';
import { titleText } from '../stores/labels';
import { CompactCard } from './ApprovalCard';
import { ownerOf, useApprovals } from './services';

/** What the run asks: with its answers where they can be given here, else where they can be. */
export function Asking(props: {
  run: Run;
  /** Leads to the terminal where it can be answered. */
  onAnswer: (() => void) | null;
  /** Nothing is answered here: it is only told. */
  inert?: boolean;
}): React.ReactElement | null {
  const { run, onAnswer, inert } = props;
  const { store, trans } = useApprovals();
  useChanges(store.changed);
  const open = store.waitingOf(run.id);
  if (open.length) {
    return (
      <>
        {open.map(item =>
          item.may_answer && !inert ? (
            <CompactCard key={item.approval.id} approval={item.approval} />
          ) : (
            <OthersStrip key={item.approval.id} item={item} />
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

function OthersStrip({ item }: { item: ApprovalItem }): React.ReactElement {
  const { trans } = useApprovals();
  const title = titleText(item.approval, trans);
  let words = trans.__('%1. Only %2 can answer.', title, ownerOf(item.approval));
  if (item.may_answer) {
    words = trans.__('%1. Answer in Approvals.', title);
  } else if (item.server) {
    words = trans.__('%1. It can be answered at the server on %2.', title, visible(item.server));
  }
  return (
    <Strip tone="warning" icon={<Icon icon={lockIcon} />}>
      {words}
    </Strip>
  );
}
