/**
 * Asks an agent to break work into steps, and says how that goes.
 */
import * as React from 'react';

import type { PlanView } from '../../api/types';
import { errorDiscIcon, successIcon } from '../../shared/icons';
import { Button, Icon, Ring } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import { AreaField } from '../../shared/views/fields';
import { chosenWorker } from '../stores/forms';
import type { PlanStore } from '../stores/plan';
import { WorkerField } from './WorkerField';
import { useDraft } from './SendDialog';
import { usePlans, useWhyNot } from './services';

interface IFormProps {
  plan: PlanView;
  store: PlanStore;
}

export function BreakdownForm({ plan, store }: IFormProps): React.ReactElement {
  const { trans } = usePlans();
  useChanges(store.changed);
  const { start } = useWhyNot();
  const form = useDraft(() => ({ instruction: '', worker: '' }));
  const { instruction, worker } = form.draft;
  const isAtWork = plan.breakdown?.state === 'running' || plan.breakdown?.state === 'refused';
  const [sent, setSent] = React.useState<string | null>(null);
  const state = plan.breakdown?.state;
  React.useEffect(() => {
    if (sent !== null && state === 'added') {
      setSent(null);
      if (form.draft.instruction === sent) {
        form.write({ instruction: '' }); // until then it may be needed again
      }
    }
  }, [sent, state]);
  const ask = async () => {
    const isAsked = await form.send(async () => {
      const asked = { instruction: instruction.trim(), ...chosenWorker(worker) };
      await store.breakDown(asked);
    });
    if (isAsked) {
      setSent(instruction);
    }
  };
  return (
    <details className="jp-Cabinet-plan-breakdown" open={plan.steps.length === 0 || undefined}>
      <summary>{trans.__('Break down')}</summary>
      <div className="jp-Cabinet-form-fields">
        <AreaField
          label={trans.__('Work')}
          hint={trans.__('Describe the work; an agent breaks it into steps.')}
          value={instruction}
          wrong={form.wrong.instruction}
          onChange={text => form.write({ instruction: text })}
        />
        <WorkerField
          none={trans.__('That of the plan')}
          value={worker}
          wrong={form.wrong.worker}
          onChange={chosen => form.write({ worker: chosen })}
        />
        {form.refusal !== null && (
          <p role="alert">
            <Untrusted text={form.refusal} />
          </p>
        )}
        <div className="jp-Cabinet-pane-actions">
          <Button
            label={trans.__('Break down')}
            blocked={start ?? (isAtWork ? trans.__('An agent is writing steps already.') : null)}
            busy={form.isBusy}
            disabled={!instruction.trim()}
            onClick={() => void ask()}
          />
        </div>
      </div>
      <BreakdownState plan={plan} />
    </details>
  );
}

/** How the last one fares; it is announced when it changes. */
function BreakdownState({ plan }: { plan: PlanView }): React.ReactElement {
  const { showRun, trans } = usePlans();
  const { breakdown } = plan;
  return (
    <div className="jp-Cabinet-pane-line" role="status">
      {breakdown && (
        <>
          {breakdown.state === 'added' && <Icon icon={successIcon} />}
          {breakdown.state === 'failed' && <Icon icon={errorDiscIcon} />}
          {(breakdown.state === 'running' || breakdown.state === 'refused') && <Ring />}
          <strong>
            {
              {
                running: trans.__('An agent is writing the steps.'),
                refused: trans.__('The answer could not be used. The agent is trying once more.'),
                failed: trans.__('No steps were added.'),
                added: trans._n('%1 step was added.', '%1 steps were added.', breakdown.added)
              }[breakdown.state]
            }
          </strong>
          {breakdown.problem && <Untrusted text={breakdown.problem} />}
          {breakdown.state === 'failed' && (
            <span>{trans.__('Describe the work in other words, or add the steps yourself.')}</span>
          )}
          <Button
            link
            label={trans.__('Open run')}
            onClick={() => void showRun(breakdown.run_id)}
          />
        </>
      )}
    </div>
  );
}
