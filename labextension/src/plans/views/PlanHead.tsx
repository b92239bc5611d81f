/**
 * The title of a plan, its state and the reason of it, and what can be done with the plan as a whole.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import { downloadIcon, fileIcon, runIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PlanView } from '../../api/types';
import { cost } from '../../runs';
import { pauseIcon } from '../../shared/icons';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { saveFile } from '../../shared/views/saveFile';
import { Untrusted } from '../../shared/views/Untrusted';
import { missingText, planLabel, runLabel, whyNotRun } from '../stores/labels';
import type { PlanStore } from '../stores/plan';
import { fileName } from '../stores/planFile';
import { PlanMark, Progress } from './parts';
import { usePlans, useWhyNot } from './services';

interface IHeadProps {
  plan: PlanView;
  store: PlanStore;
}

/** Who carries out the steps that name nobody; empty: unknown. */
function useWorker({ agent, runtime }: PlanView): string {
  const { agents, runtimes, trans } = usePlans();
  useChanges(agents.changed, runtimes.changed);
  if (agent !== null) {
    return agents.nameOf(agent);
  }
  if (runtime !== null) {
    return runtimes.get(runtime)?.title ?? runtime;
  }
  return runtimes.default ? trans.__('Default (%1)', runtimes.default.title) : '';
}

/** Who works where, and how, in a few words each. */
function useFacts(plan: PlanView): string[] {
  const { trans } = usePlans();
  const worker = useWorker(plan);
  const facts = [
    visible(worker),
    plan.cwd !== '.' && visible(plan.cwd),
    plan.checklist && trans.__('works through %1', visible(plan.checklist.path)),
    plan.isolate && trans.__('isolated'),
    plan.commit && trans.__('commits to git'),
    plan.evaluation === 'propose' && trans.__('may propose steps'),
    plan.evaluation === 'auto' && trans.__('adds steps by itself'),
    cost(plan.cost_usd) ?? (plan.steps.some(step => step.runs.length) && trans.__('cost unknown'))
  ];
  return facts.filter(fact => typeof fact === 'string' && fact !== '') as string[];
}

export function PlanHead({ plan, store }: IHeadProps): React.ReactElement {
  const { plans, rendermime, trans } = usePlans();
  const { icon, label } = planLabel(plan.state, trans);
  const facts = useFacts(plan);
  return (
    <header className="jp-Cabinet-pane-head">
      <Button
        link
        className="jp-Cabinet-pane-back"
        label={trans.__('Back to the list')}
        onClick={() => plans.choose(null)}
      />
      <h2 tabIndex={-1}>
        <Untrusted text={plan.title} />
      </h2>
      {plan.description && (
        <Untrusted
          block
          className="jp-Cabinet-plan-description"
          text={plan.description}
          markdown={rendermime}
        />
      )}
      <p className="jp-Cabinet-pane-line">
        <PlanMark icon={icon} isDraft />
        <strong>{label}</strong>
        {plan.reason && <Untrusted text={plan.reason} />}
      </p>
      {plan.checklist && plan.checklist_missing && (
        <p className="jp-Cabinet-pane-line">
          <PlanMark icon="warning" />
          <Untrusted text={missingText(plan.checklist.path, trans)} />
        </p>
      )}
      <Progress plan={plan} />
      <p className="jp-Cabinet-quiet">{facts.join(' · ')}</p>
      {!plan.may_change && (
        <p>{trans.__('View only. This plan belongs to %1.', visible(plan.owner_name))}</p>
      )}
      <div className="jp-Cabinet-pane-actions">
        <Actions plan={plan} store={store} />
        <OpenChecklist plan={plan} store={store} />
      </div>
    </header>
  );
}

/** For its owner. */
function Actions({ plan, store }: IHeadProps): React.ReactElement | null {
  const { plans, trans } = usePlans();
  const { change, read, start } = useWhyNot();
  const busy = store.isBusy();
  const isRunning = plan.state === 'running';
  const remove = async () => {
    const { button } = await showDialog({
      title: trans.__('Delete the plan “%1”?', visible(plan.title)),
      body: trans.__('Its steps and their handoffs are deleted. Its runs and their changes stay.'),
      buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Delete') })],
      defaultButton: 0
    });
    if (button.accept && (await store.change((routes, id) => routes.delete(id)))) {
      plans.choose(null);
      await plans.refresh();
    }
  };
  const save = () =>
    store.change(async (routes, id) => {
      const text = await routes.export(id);
      saveFile(new Blob([text], { type: 'application/yaml' }), fileName(plan.title));
    });
  if (!plan.may_change) {
    return null;
  }
  return (
    <>
      {isRunning ? (
        <Button
          icon={pauseIcon}
          label={trans.__('Pause')}
          title={trans.__('The steps that are running finish. No other step begins.')}
          blocked={start}
          busy={busy}
          onClick={() => void store.change((routes, id) => routes.pause(id))}
        />
      ) : (
        plan.state !== 'done' && (
          <Button
            filled
            icon={runIcon}
            {...runLabel(plan, trans)}
            blocked={start ?? whyNotRun(plan, trans)}
            busy={busy}
            onClick={() => void store.changeWithFile((routes, id) => routes.run(id))}
          />
        )
      )}
      <Button
        label={trans.__('Settings…')}
        blocked={change}
        onClick={() => plans.show({ kind: 'plan', plan })}
      />
      <Button
        icon={downloadIcon}
        label={trans.__('Export')}
        title={trans.__('Download the plan as a YAML file, without states, results and runs.')}
        blocked={read}
        busy={busy}
        onClick={() => void save()}
      />
      <Button
        label={plan.archived ? trans.__('Unarchive') : trans.__('Archive')}
        blocked={change}
        busy={busy}
        onClick={() => void store.change((routes, id) => routes.archive(id, !plan.archived))}
      />
      <Button
        label={trans.__('Delete…')}
        blocked={change}
        busy={busy}
        onClick={() => void remove()}
      />
    </>
  );
}

/** For who can only view the plan, too. */
function OpenChecklist({ plan, store }: IHeadProps): React.ReactElement | null {
  const { openBeside, plans, trans } = usePlans();
  const { change } = useWhyNot();
  const path = plan.checklist?.path;
  if (path !== undefined && plan.checklist_missing) {
    return plan.may_change ? (
      <Button
        icon={fileIcon}
        label={trans.__('Locate the checklist…')}
        title={trans.__('Continue with the checklist at its new path.')}
        blocked={change}
        onClick={() => plans.show({ kind: 'checklist' })}
      />
    ) : null;
  }
  return path === undefined ? null : (
    <Button
      icon={fileIcon}
      label={trans.__('Open checklist')}
      title={trans.__('Open %1 beside the plan', visible(path))}
      onClick={() => void store.changeWithFile(() => openBeside(path))}
    />
  );
}
