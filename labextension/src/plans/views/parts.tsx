/**
 * Small parts of the tab of plans: the mark of a state, a bar of how far a plan is.
 */
import { editIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PlanLine } from '../../api/types';
import { pauseIcon, pendingIcon } from '../../shared/icons';
import { Icon, StateMark } from '../../shared/views/components';
import { BAR, countsText, type PlanIcon, total } from '../stores/labels';
import { usePlans } from './services';

/** `isDraft`: of a plan, not of a step. */
export function PlanMark(props: { icon: PlanIcon; isDraft?: boolean }): React.ReactElement {
  const { icon, isDraft } = props;
  switch (icon) {
    case 'none':
      return <Icon icon={isDraft ? editIcon : pendingIcon} />;
    case 'pause':
      return <Icon icon={pauseIcon} />;
    default:
      return <StateMark icon={icon} />;
  }
}

/** How many steps are in each state; the words beside it say the same. */
export function Progress(props: { plan: Pick<PlanLine, 'counts' | 'state'> }): React.ReactElement {
  const { trans } = usePlans();
  const { counts } = props.plan;
  const all = total(counts);
  return (
    <span className="jp-Cabinet-plan-progress">
      {all > 0 && (
        <span className="jp-Cabinet-plan-bar" aria-hidden="true">
          {BAR.filter(state => counts[state] > 0).map(state => (
            <span key={state} data-state={state} style={{ flexGrow: counts[state] }} />
          ))}
        </span>
      )}
      <span className="jp-Cabinet-quiet">{countsText(props.plan, trans)}</span>
    </span>
  );
}
