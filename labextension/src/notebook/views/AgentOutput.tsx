/**
 * An agent's card, and the plot of one of its goals, in the output of a cell.
 */
import * as React from 'react';

import { AgentCard, GoalPlot, useAgent } from '../../agents/views';
import type { ISaved } from '../stores/shownOutput';
import type { View } from '../stores/view';
import { ConsentStrip } from './ConsentStrip';
import { NotShown, Saved } from './Saved';
import { type IViewProps, useCells } from './services';

export function AgentOutput(props: IViewProps<View & { view: 'agent' }>): React.ReactElement {
  const { mayAct, saved, view } = props;
  const { agents } = useCells();
  const agent = useAgent(agents, view.agent);
  return agent ? (
    <>
      {!mayAct && <ConsentStrip view={view} />}
      <AgentCard agent={agent} inert={!mayAct} />
    </>
  ) : (
    <NoAgent slug={view.agent} saved={saved} />
  );
}

export function GoalOutput(props: IViewProps<View & { view: 'goal' }>): React.ReactElement {
  const { saved, view } = props;
  const { agents, trans } = useCells();
  const agent = useAgent(agents, view.agent);
  const goal = agent?.goals.find(({ metric }) => metric === view.metric);
  if (goal) {
    return <GoalPlot goal={goal} />;
  }
  return agent ? (
    <Saved saved={saved} words={trans.__('This agent no longer has this goal.')} />
  ) : (
    <NoAgent slug={view.agent} saved={saved} />
  );
}

/** Not yet, or not for this person. */
function NoAgent({ slug, saved }: { slug: string; saved: ISaved }): React.ReactElement {
  const { agents, trans } = useCells();
  return (
    <NotShown
      problem={agents.problem(slug)}
      saved={saved}
      absent={trans.__('This agent is not on this server.')}
      forbidden={trans.__('You do not have permission to view this agent.')}
      loading={trans.__('Loading the agent')}
    />
  );
}
