/**
 * A new plan, or the settings of one.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PermissionMode, PlanView } from '../../api/types';
import { isolationLabel, isolationMeaning, permissionLabel } from '../../runtimes';
import { visible } from '../../shared/untrusted';
import { FormField } from '../../shared/views/FormDialog';
import { focusMade } from '../../shared/views/focusMade';
import { useChanges } from '../../shared/views/hooks';
import type { DraftStore } from '../../shared/draft';
import { AreaField, CheckField, ChoiceField, More, TextField } from '../../shared/views/fields';
import {
  checklistDraft,
  chosenWorker,
  hasRareSettings,
  type IPlanDraft,
  MOST_STEPS,
  planDraft,
  planFields,
  RARE_FIELDS
} from '../stores/forms';
import { ChecklistFields } from './ChecklistFields';
import { WorkerField } from './WorkerField';
import { SendDialog, useDraft } from './SendDialog';
import { usePlans } from './services';

/** The server's names of fields. */
const FIELDS: Record<string, keyof IPlanDraft> = {
  cwd: 'folder',
  agent: 'worker',
  runtime: 'worker',
  permission_mode: 'permissionMode',
  isolate: 'isIsolated',
  max_steps: 'maxSteps',
  max_cost_usd: 'maxCost',
  max_runs: 'maxRuns',
  max_minutes: 'maxMinutes'
};

interface IDraftProps {
  store: DraftStore<IPlanDraft>;
}

/** `plan`: null for a new one. `checklist`: the file that a new one works through. */
export function PlanDialog(props: {
  plan: PlanView | null;
  checklist?: string;
}): React.ReactElement {
  const { checklist, plan } = props;
  const { plans, trans } = usePlans();
  const store = useDraft(
    () =>
      checklist === undefined
        ? planDraft(plan)
        : checklistDraft(checklist, trans.__('Work through %1', checklist)),
    FIELDS
  );
  const send = async (draft: IPlanDraft) => {
    const fields = planFields(draft, plan);
    if (plan === null) {
      plans.take(await plans.routes.create(fields));
      focusMade('.jp-Cabinet-plans .jp-Cabinet-pane-head h2');
    } else {
      plans.open?.takeChange(await plans.routes.edit(plan.id, fields));
    }
  };
  return (
    <SendDialog
      label={plan ? trans.__('Settings of the plan') : trans.__('New plan')}
      button={plan ? trans.__('Save') : trans.__('Create plan')}
      icon={plan ? undefined : addIcon}
      store={store}
      isReady={store.draft.title.trim() !== ''}
      send={send}
    >
      <Fields store={store} isNew={plan === null} />
    </SendDialog>
  );
}

function Fields({ store, isNew }: IDraftProps & { isNew: boolean }): React.ReactElement {
  const { runtimes, trans } = usePlans();
  useChanges(runtimes.changed);
  const { draft, wrong } = store;
  return (
    <>
      <TextField
        autoFocus
        label={trans.__('Title')}
        value={draft.title}
        wrong={wrong.title}
        onChange={title => store.write({ title })}
      />
      <AreaField
        label={trans.__('Description')}
        hint={trans.__(
          'The goal, and what every step needs to know. Every step receives this text.'
        )}
        value={draft.description}
        wrong={wrong.description}
        onChange={description => store.write({ description })}
      />
      <WorkerField
        none={trans.__('Default (%1)', visible(runtimes.default?.title ?? '–'))}
        hint={trans.__('Carries out every step that does not name its own agent or runtime.')}
        value={draft.worker}
        wrong={wrong.worker}
        onChange={worker => store.write({ worker })}
      />
      <Evaluation store={store} />
      {isNew && <ChecklistFields store={store} />}
      <TextField
        label={trans.__('Cost limit (USD)')}
        hint={trans.__(
          'The plan pauses when its runs have cost this much. If empty, there is no limit.'
        )}
        value={draft.maxCost}
        wrong={wrong.maxCost}
        onChange={maxCost => store.write({ maxCost })}
      />
      <More
        label={trans.__('More')}
        isUsed={RARE_FIELDS.some(field => wrong[field] !== undefined) || hasRareSettings(draft)}
      >
        <RareFields store={store} />
      </More>
    </>
  );
}

/** What most plans leave as it is. */
function RareFields({ store }: IDraftProps): React.ReactElement {
  const { trans } = usePlans();
  const { draft, wrong } = store;
  return (
    <>
      <TextField
        label={trans.__('Folder')}
        hint={trans.__('A path in the server’s root folder. If empty, that folder itself.')}
        value={draft.folder}
        wrong={wrong.folder}
        onChange={folder => store.write({ folder })}
      />
      {chosenWorker(draft.worker).agent === null && <Permission store={store} />}
      <Isolation store={store} />
      {draft.evaluation !== 'off' && <MaximumSteps store={store} />}
      <CheckField
        label={trans.__('Commit to git')}
        hint={trans.__(
          'When a step is done, the files that it changed are committed. Other files that you have staged are left out.'
        )}
        value={draft.isCommitted}
        wrong={wrong.isCommitted}
        onChange={isCommitted => store.write({ isCommitted })}
      />
      <TextField
        label={trans.__('Run limit')}
        hint={trans.__('The plan pauses after this many runs of steps. “Run” continues it.')}
        value={draft.maxRuns}
        wrong={wrong.maxRuns}
        onChange={maxRuns => store.write({ maxRuns })}
      />
      <TextField
        label={trans.__('Time limit (minutes)')}
        hint={trans.__('No step begins later than this after you started the plan.')}
        value={draft.maxMinutes}
        wrong={wrong.maxMinutes}
        onChange={maxMinutes => store.write({ maxMinutes })}
      />
    </>
  );
}

/** How far the runs go without asking. An agent has its own. */
function Permission({ store }: IDraftProps): React.ReactElement {
  const { choices, runtimes, trans } = usePlans();
  useChanges(choices.changed);
  const { draft, wrong } = store;
  const runtime = chosenWorker(draft.worker).runtime ?? runtimes.default?.name ?? null;
  const options: [PermissionMode | '', string][] = [
    ['', trans.__('Server default')],
    ...choices
      .modesOf(runtime)
      .map((mode): [PermissionMode, string] => [mode, permissionLabel(mode, trans)])
  ];
  return (
    <ChoiceField
      label={trans.__('Permission mode')}
      value={draft.permissionMode}
      wrong={wrong.permissionMode}
      options={options}
      onChange={permissionMode => store.write({ permissionMode })}
    />
  );
}

/** Whether the runs work in a sandbox. It belongs to the plan, and changes no other run. */
function Isolation({ store }: IDraftProps): React.ReactElement | null {
  const { choices, runtimes, trans } = usePlans();
  const { draft, wrong } = store;
  const { agent, runtime } = chosenWorker(draft.worker);
  if (agent !== null && !draft.isIsolated) {
    return null; // its persona and the server decide that
  }
  const { isIsolated, reason } = choices.isolationOf(runtime ?? runtimes.default?.name ?? null);
  const isFixed = reason !== null && !draft.isIsolated;
  return (
    <FormField
      label={isolationLabel(true, trans)}
      wrong={wrong.isIsolated ?? null}
      hint={reason?.(trans) ?? isolationMeaning(true, trans)}
    >
      {given => (
        <input
          {...given}
          type="checkbox"
          checked={isFixed ? isIsolated : draft.isIsolated}
          disabled={isFixed}
          onChange={event => store.write({ isIsolated: event.target.checked })}
        />
      )}
    </FormField>
  );
}

function Evaluation({ store }: IDraftProps): React.ReactElement {
  const { trans } = usePlans();
  const { draft, wrong } = store;
  return (
    <ChoiceField
      label={trans.__('Evaluation')}
      hint={
        draft.evaluation === 'off'
          ? trans.__('No steps are added automatically.')
          : trans.__(
              'After each step of an agent, a short run decides whether more steps are needed.'
            )
      }
      value={draft.evaluation}
      wrong={wrong.evaluation}
      options={[
        ['off', trans.__('Off')],
        ['propose', trans.__('Propose new steps')],
        ['auto', trans.__('Add new steps at once')]
      ]}
      onChange={evaluation => store.write({ evaluation })}
    />
  );
}

function MaximumSteps({ store }: IDraftProps): React.ReactElement {
  const { trans } = usePlans();
  const { draft, wrong } = store;
  return (
    <FormField
      label={trans.__('Maximum number of steps')}
      wrong={wrong.maxSteps ?? null}
      hint={trans.__('Evaluations add no step beyond this number.')}
    >
      {given => (
        <input
          {...given}
          type="number"
          min={1}
          max={MOST_STEPS}
          value={draft.maxSteps}
          onChange={event => store.write({ maxSteps: event.target.valueAsNumber || 1 })}
        />
      )}
    </FormField>
  );
}
