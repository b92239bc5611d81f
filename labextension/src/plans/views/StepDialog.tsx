/**
 * A new step of a plan, or another text and other settings of one.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { PlanView } from '../../api/types';
import { visible } from '../../shared/untrusted';
import { FormField } from '../../shared/views/FormDialog';
import type { DraftStore } from '../../shared/draft';
import { AreaField, ChoiceField, More, TextField } from '../../shared/views/fields';
import {
  argumentsOf,
  type IStepDraft,
  MOST_RETRIES,
  possibleDependencies,
  stepDraft,
  stepFields
} from '../stores/forms';
import { hasBegun } from '../stores/labels';
import type { PlanStore } from '../stores/plan';
import { WorkerField } from './WorkerField';
import { SendDialog, useDraft } from './SendDialog';
import { usePlans } from './services';

const FIELDS: Record<string, keyof IStepDraft> = {
  depends_on: 'dependsOn',
  cwd: 'folder',
  agent: 'worker',
  runtime: 'worker'
};

/** More steps than this can be filtered. */
const MANY = 10;

interface IDialogProps {
  plan: PlanView;
  store: PlanStore;
  /** Null for a new one. */
  stepId: string | null;
}

export function StepDialog({ plan, stepId, store }: IDialogProps): React.ReactElement {
  const { plans, trans } = usePlans();
  const step = plan.steps.find(({ id }) => id === stepId) ?? null;
  const draft = useDraft(() => stepDraft(step), FIELDS);
  const send = async (written: IStepDraft) => {
    const fields = stepFields(written);
    const { routes } = plans;
    store.takeChange(
      await (step ? routes.editStep(plan.id, step.id, fields) : routes.addSteps(plan.id, [fields]))
    );
  };
  return (
    <SendDialog
      label={step ? trans.__('Edit the step') : trans.__('New step')}
      button={step ? trans.__('Save') : trans.__('Add step')}
      icon={step ? undefined : addIcon}
      store={draft}
      right={step ? 'start' : 'change'}
      isReady={draft.draft.title.trim() !== ''}
      send={send}
    >
      <Fields plan={plan} stepId={stepId} draft={draft} />
    </SendDialog>
  );
}

function Fields(props: {
  plan: PlanView;
  stepId: string | null;
  draft: DraftStore<IStepDraft>;
}): React.ReactElement {
  const { plan, stepId, draft: store } = props;
  const { trans } = usePlans();
  const { draft, wrong } = store;
  const hasCommand = argumentsOf(draft.command).length > 0;
  const retries = Array.from({ length: MOST_RETRIES + 1 }, (_, count) => String(count));
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
        label={trans.__('Instruction')}
        hint={trans.__('If empty, the title and the description are the instruction.')}
        value={draft.prompt}
        wrong={wrong.prompt}
        onChange={prompt => store.write({ prompt })}
      />
      <Dependencies plan={plan} stepId={stepId} draft={store} />
      {!hasCommand && (
        <WorkerField
          none={trans.__('That of the plan')}
          value={draft.worker}
          wrong={wrong.worker}
          onChange={worker => store.write({ worker })}
        />
      )}
      <AreaField
        isCode
        label={trans.__('Verify command')}
        rows={2}
        hint={trans.__(
          'A program that must succeed before the step counts as done. One argument per line: for example, python on the first line and check.py on the second.'
        )}
        value={draft.verify}
        wrong={wrong.verify}
        onChange={verify => store.write({ verify })}
      />
      <More
        label={trans.__('More')}
        isUsed={Boolean(draft.description || draft.command || draft.folder)}
      >
        <AreaField
          label={trans.__('Description')}
          rows={2}
          value={draft.description}
          wrong={wrong.description}
          onChange={description => store.write({ description })}
        />
        <AreaField
          isCode
          label={trans.__('Command')}
          rows={2}
          hint={trans.__('A program that runs instead of an agent. One argument in each line.')}
          value={draft.command}
          wrong={wrong.command}
          onChange={command => store.write({ command })}
        />
        <TextField
          label={trans.__('Folder')}
          hint={trans.__('If empty, the folder of the plan.')}
          value={draft.folder}
          wrong={wrong.folder}
          onChange={folder => store.write({ folder })}
        />
        <ChoiceField
          label={trans.__('Retries')}
          hint={trans.__('Further attempts after a failure, where another one may help.')}
          value={String(draft.retries)}
          wrong={wrong.retries}
          options={retries.map(count => [count, count] as const)}
          onChange={count => store.write({ retries: Number(count) })}
        />
      </More>
    </>
  );
}

/** The titles of the steps that come before it. */
function Dependencies(props: {
  plan: PlanView;
  stepId: string | null;
  draft: DraftStore<IStepDraft>;
}): React.ReactElement | null {
  const { plan, stepId, draft: store } = props;
  const { trans } = usePlans();
  const [words, setWords] = React.useState('');
  const possible = React.useMemo(
    () => possibleDependencies(plan.steps, stepId),
    [plan.steps, stepId]
  );
  const { dependsOn } = store.draft;
  const isBegun = plan.steps.some(step => step.id === stepId && hasBegun(step));
  const chosen = new Set(dependsOn);
  const needle = words.trim().toLowerCase();
  const shown = possible.filter(
    ({ id, title }) => chosen.has(id) || title.toLowerCase().includes(needle)
  );
  if (possible.length === 0) {
    return null;
  }
  const toggle = (id: string, isChosen: boolean) =>
    store.write({
      dependsOn: isChosen ? [...dependsOn, id] : dependsOn.filter(each => each !== id)
    });
  return (
    <FormField
      label={trans.__('Depends on')}
      wrong={store.wrong.dependsOn ?? null}
      hint={
        isBegun
          ? trans.__('It has begun, so this can no longer be changed.')
          : trans.__('It begins when these steps are done, and receives their handoffs.')
      }
    >
      {given => (
        <div {...given} className="jp-Cabinet-plan-choices">
          {possible.length > MANY && (
            <input
              type="text"
              autoComplete="off"
              aria-label={trans.__('Filter steps')}
              placeholder={trans.__('Filter steps')}
              value={words}
              onChange={event => setWords(event.target.value)}
            />
          )}
          <div role="group" aria-label={trans.__('Depends on')}>
            {shown.map(({ id, title }) => (
              <label key={id} className="jp-Cabinet-box">
                <input
                  type="checkbox"
                  checked={chosen.has(id)}
                  disabled={isBegun}
                  onChange={event => toggle(id, event.target.checked)}
                />
                {visible(title)}
              </label>
            ))}
          </div>
        </div>
      )}
    </FormField>
  );
}
