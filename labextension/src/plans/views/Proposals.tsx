/**
 * What evaluations have proposed: the new steps, with *Apply* and *Reject*. A proposal that was applied can be undone.
 */
import * as React from 'react';

import type { PlanProposal, PlanView } from '../../api/types';
import type { ProposalDecision } from '../../api/planRoutes';
import { fullTime, when } from '../../shared/time';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { proposalLabel } from '../stores/labels';
import type { PlanStore } from '../stores/plan';
import { usePlans, useWhyNot } from './services';

interface IProposalsProps {
  plan: PlanView;
  store: PlanStore;
}

export function Proposals({ plan, store }: IProposalsProps): React.ReactElement | null {
  const { trans } = usePlans();
  const open = plan.proposals.filter(({ state }) => state === 'open');
  const decided = plan.proposals.filter(({ state }) => state !== 'open').reverse();
  if (plan.proposals.length === 0) {
    return null;
  }
  return (
    <section className="jp-Cabinet-plan-proposals" aria-label={trans.__('Proposals')}>
      {open.map(proposal => (
        <Proposal key={proposal.id} plan={plan} proposal={proposal} store={store} />
      ))}
      {decided.length > 0 && (
        <details>
          <summary>
            {trans._n('%1 earlier proposal', '%1 earlier proposals', decided.length)}
          </summary>
          {decided.map(proposal => (
            <Proposal key={proposal.id} plan={plan} proposal={proposal} store={store} />
          ))}
        </details>
      )}
    </section>
  );
}

function Proposal(props: IProposalsProps & { proposal: PlanProposal }): React.ReactElement {
  const { plan, proposal, store } = props;
  const { trans } = usePlans();
  const { start } = useWhyNot();
  const { comment, mutations, reason, state } = proposal;
  const title = visible(store.titleOf(proposal.step_id));
  const decisions: Record<PlanProposal['state'], readonly [ProposalDecision, string][]> = {
    open:
      mutations.length > 0
        ? [
            ['apply', trans.__('Apply')],
            ['refuse', trans.__('Reject')]
          ]
        : [['apply', trans.__('Start the next steps')]],
    applied: [['undo', trans.__('Undo')]],
    refused: [],
    undone: []
  };
  return (
    <article className="jp-Cabinet-plan-proposal" data-state={state}>
      <p>
        <strong>
          {mutations.length > 0
            ? trans.__('New steps proposed after “%1”', title)
            : trans.__('“%1” needs you before the plan continues', title)}
        </strong>{' '}
        <span className="jp-Cabinet-quiet" title={fullTime(proposal.at)}>
          {[proposalLabel(proposal, trans), visible(reason), when(proposal.at, new Date(), trans)]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </p>
      {comment && <Untrusted block text={comment} />}
      <ul className="jp-Cabinet-plain-list" aria-label={trans.__('New steps')}>
        {mutations.map((mutation, index) => (
          <li key={index} className="jp-Cabinet-diff-line jp-mod-added">
            <span className="jp-Cabinet-diff-sign">+</span>
            <Untrusted text={mutation.title} />
            <span>
              {mutation.kind === 'INSERT_BETWEEN'
                ? trans.__('after it, before the steps that depend on it')
                : trans.__('beside it')}
            </span>
          </li>
        ))}
      </ul>
      {plan.may_change && decisions[state].length > 0 && (
        <div className="jp-Cabinet-pane-actions">
          {decisions[state].map(([decision, label]) => (
            <Button
              key={decision}
              filled={decision === 'apply'}
              label={label}
              blocked={start}
              busy={store.isBusy(proposal.id)}
              onClick={() =>
                void store.change(
                  (routes, id) => routes.decide(id, proposal.id, decision),
                  proposal.id
                )
              }
            />
          ))}
        </div>
      )}
    </article>
  );
}
