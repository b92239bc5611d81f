/**
 * How far the agent's goals are, and how far they were in the periods before.
 */
import * as React from 'react';

import type { AgentDetail } from '../../../api/types';
import { GoalBars } from '../AgentCard';
import { GoalPlot } from '../GoalPlot';
import { Nothing } from '../parts';
import { usePage } from './services';

export function Goals({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { trans } = usePage();
  if (agent.goals.length === 0) {
    return (
      <Nothing>
        {trans.__('No goals yet. Add goals on the Persona tab: a metric, a target and a period.')}
      </Nothing>
    );
  }
  return (
    <div className="jp-Cabinet-page-goals">
      <div className="jp-Cabinet-agent-bars">
        <GoalBars agent={agent} />
      </div>
      {agent.goals.map(goal => (
        <GoalPlot key={goal.metric} goal={goal} />
      ))}
    </div>
  );
}
