/**
 * The plans: how far each is, what it has cost, and why it rests.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PlanLine } from '../../api/types';
import { cost } from '../../runs';
import { planIcon } from '../../shared/icons';
import { fullTime, when } from '../../shared/time';
import { Button, Card, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Untrusted } from '../../shared/views/Untrusted';
import { useArrows } from '../../shared/views/useArrows';
import { planLabel } from '../stores/labels';
import { PlanMark, Progress } from './parts';
import { usePlans, useWhyNot } from './services';

export function PlanList(): React.ReactElement {
  const { plans, trans } = usePlans();
  useChanges(plans.changed);
  return (
    <section className="jp-Cabinet-pane-list" aria-label={trans.__('Plans')}>
      <div className="jp-Cabinet-pane-tools">
        <NewButtons />
        <span className="jp-Cabinet-spring" />
        <label className="jp-Cabinet-box">
          <input
            type="checkbox"
            checked={plans.isArchived}
            onChange={event => void plans.showArchived(event.target.checked)}
          />
          {trans.__('Archived')}
        </label>
      </div>
      <Rows />
    </section>
  );
}

function NewButtons({ isFilled }: { isFilled?: boolean }): React.ReactElement {
  const { plans, trans } = usePlans();
  const { change } = useWhyNot();
  return (
    <>
      <Button
        filled={isFilled}
        icon={addIcon}
        label={trans.__('New plan')}
        blocked={change}
        onClick={() => plans.show({ kind: 'plan', plan: null })}
      />
      <Button
        label={trans.__('Import…')}
        blocked={change}
        onClick={() => plans.show({ kind: 'import' })}
      />
    </>
  );
}

function Rows(): React.ReactElement | null {
  const { plans, trans } = usePlans();
  const { items, open, problem } = plans;
  const list = React.useRef<HTMLUListElement>(null);
  const arrows = useArrows(list, '.jp-Cabinet-pane-row', items?.length ?? 0);
  if (items === null) {
    return problem === null ? <Loading label={trans.__('Loading the plans')} /> : null;
  }
  if (items.length === 0) {
    return <Empty />;
  }
  return (
    <ul
      ref={list}
      className="jp-Cabinet-plain-list jp-Cabinet-pane-rows jp-Cabinet-pane-scroll"
      onKeyDown={arrows.onKeyDown}
    >
      {items.map((plan, index) => (
        <PlanRow
          key={plan.id}
          plan={plan}
          isOpen={plan.id === open?.id}
          isCurrent={index === arrows.current}
          onFocus={() => arrows.setCurrent(index)}
        />
      ))}
    </ul>
  );
}

function PlanRow(props: {
  plan: PlanLine;
  isOpen: boolean;
  isCurrent: boolean;
  onFocus: () => void;
}): React.ReactElement {
  const { isCurrent, isOpen, onFocus, plan } = props;
  const { plans, trans } = usePlans();
  const { icon, label } = planLabel(plan.state, trans);
  const proposals = plan.open_proposals;
  const facts = [
    cost(plan.cost_usd),
    proposals > 0 && trans._n('%1 proposal', '%1 proposals', proposals),
    when(plan.updated_at, new Date(), trans)
  ].filter(Boolean);
  return (
    <li>
      <button
        type="button"
        className="jp-Cabinet-pane-choice jp-Cabinet-pane-row"
        aria-current={isOpen || undefined}
        tabIndex={isCurrent ? 0 : -1}
        onFocus={onFocus}
        onClick={() => plans.choose(plan.id)}
      >
        <span className="jp-Cabinet-pane-row-head">
          <PlanMark icon={icon} isDraft />
          <Untrusted className="jp-Cabinet-pane-title" text={plan.title} />
          <span>{label}</span>
        </span>
        <Progress plan={plan} />
        {plan.reason && <Untrusted className="jp-Cabinet-plan-why" text={plan.reason} />}
        <span className="jp-Cabinet-quiet" title={fullTime(plan.updated_at)}>
          {facts.join(' · ')}
        </span>
      </button>
    </li>
  );
}

function Empty(): React.ReactElement {
  const { plans, trans } = usePlans();
  if (plans.isArchived) {
    return (
      <Card title={trans.__('No archived plans')}>
        {trans.__('Plans that you archive appear here.')}
      </Card>
    );
  }
  if (plans.areAllArchived) {
    return (
      <Card
        icon={<Icon icon={planIcon} />}
        title={trans.__('All plans are archived')}
        actions={<NewButtons isFilled />}
      >
        {trans.__('Select Archived to see them, or create a plan.')}
      </Card>
    );
  }
  return (
    <Card
      icon={<Icon icon={planIcon} />}
      title={trans.__('No plans yet')}
      actions={<NewButtons isFilled />}
    >
      {trans.__(
        'A plan is work in steps. Agents carry them out one after the other, and you can leave meanwhile. Create a plan, or import one from a YAML file.'
      )}
    </Card>
  );
}
