/**
 * What all plans do next: the running steps, then the queued ones, each with why it waits.
 */
import * as React from 'react';

import type { QueuedStep } from '../../api/types';
import { planIcon } from '../../shared/icons';
import { visible } from '../../shared/untrusted';
import { Button, Card, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Untrusted } from '../../shared/views/Untrusted';
import { useArrows } from '../../shared/views/useArrows';
import { Problem } from '../../shared/views/Problem';
import { stepLabel, stepReason, stepStateText } from '../stores/labels';
import { PlanMark } from './parts';
import { usePlans } from './services';

export function QueuePane(): React.ReactElement {
  const { plans, trans } = usePlans();
  useChanges(plans.changed);
  const { queue, queueProblem } = plans;
  const list = React.useRef<HTMLUListElement>(null);
  const arrows = useArrows(list, '.jp-Cabinet-pane-row', queue?.length ?? 0);
  return (
    <section className="jp-Cabinet-pane-part" aria-label={trans.__('Queue')}>
      {queueProblem !== null && (
        <Problem
          trans={trans}
          text={queueProblem}
          action={<Button label={trans.__('Reload')} onClick={() => void plans.readQueue()} />}
        />
      )}
      {queue === null && queueProblem === null && <Loading label={trans.__('Loading the queue')} />}
      {queue?.length === 0 && (
        <Card icon={<Icon icon={planIcon} />} title={trans.__('Nothing is queued')}>
          {trans.__('When you run a plan, its steps appear here until they have ended.')}
        </Card>
      )}
      {queue !== null && queue.length > 0 && (
        <ul
          ref={list}
          className="jp-Cabinet-plain-list jp-Cabinet-pane-rows jp-Cabinet-pane-scroll"
          aria-label={trans.__('Queue')}
          onKeyDown={arrows.onKeyDown}
        >
          {queue.map((queued, index) => (
            <QueueRow
              key={queued.step.id}
              queued={queued}
              isCurrent={index === arrows.current}
              onFocus={() => arrows.setCurrent(index)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

function QueueRow(props: {
  queued: QueuedStep;
  isCurrent: boolean;
  onFocus: () => void;
}): React.ReactElement {
  const { isCurrent, onFocus, queued } = props;
  const { plans, trans } = usePlans();
  const { cwd, plan_title: plan, step } = queued;
  const reason = stepReason(step);
  return (
    <li>
      <button
        type="button"
        className="jp-Cabinet-pane-choice jp-Cabinet-pane-row"
        tabIndex={isCurrent ? 0 : -1}
        onFocus={onFocus}
        onClick={() => plans.follow(queued)}
      >
        <span className="jp-Cabinet-pane-row-head">
          <PlanMark icon={stepLabel(step, trans).icon} />
          <Untrusted className="jp-Cabinet-pane-title" text={step.title} />
          <span>{stepStateText(step, trans)}</span>
        </span>
        <span className="jp-Cabinet-quiet">
          {[plan, cwd === '.' ? '' : cwd].filter(Boolean).map(visible).join(' · ')}
        </span>
        {reason && <Untrusted className="jp-Cabinet-plan-why" text={reason} />}
      </button>
    </li>
  );
}
