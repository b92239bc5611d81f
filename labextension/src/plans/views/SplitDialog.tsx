/**
 * Several steps that take the place of one.
 */
import { addIcon, closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../../shared/views/components';
import { FormField } from '../../shared/views/FormDialog';
import type { DraftStore } from '../../shared/draft';
import { AreaField, TextField } from '../../shared/views/fields';
import {
  FEWEST_PARTS,
  type IPartDraft,
  type ISplitDraft,
  splitDraft,
  splitFields,
  withoutPart,
  withPart
} from '../stores/forms';
import type { PlanStore } from '../stores/plan';
import { SendDialog, useDraft } from './SendDialog';
import { usePlans } from './services';

export function SplitDialog(props: { store: PlanStore; stepId: string }): React.ReactElement {
  const { stepId, store: plan } = props;
  const { plans, trans } = usePlans();
  const store = useDraft(splitDraft);
  const { draft } = store;
  return (
    <SendDialog
      label={trans.__('Split “%1”', plan.titleOf(stepId))}
      button={trans.__('Split')}
      right="start"
      store={store}
      isReady={draft.parts.every(({ title }) => title.trim() !== '')}
      send={async written =>
        plan.takeChange(await plans.routes.splitStep(plan.id, stepId, splitFields(written)))
      }
    >
      <p className="jp-Cabinet-quiet">
        {trans.__(
          'The new steps take the place of this step, which is skipped. They have the same agent and folder.'
        )}
      </p>
      <Parts store={store} />
      <FormField
        label={trans.__('In order')}
        wrong={null}
        hint={trans.__('Each new step depends on the one before.')}
      >
        {given => (
          <input
            {...given}
            type="checkbox"
            checked={draft.isInOrder}
            onChange={event => store.write({ isInOrder: event.target.checked })}
          />
        )}
      </FormField>
    </SendDialog>
  );
}

function Parts({ store }: { store: DraftStore<ISplitDraft> }): React.ReactElement {
  const { trans } = usePlans();
  const rows = React.useRef<HTMLDivElement>(null);
  const { parts } = store.draft;
  // After a row was added or removed, the work continues in a title: the new one, or the one that took its place.
  const [focused, focus] = React.useState<number | null>(null);
  React.useEffect(() => {
    if (focused !== null) {
      rows.current!.children[focused].querySelector('input')!.focus();
      focus(null);
    }
  }, [focused]);
  const remove = (key: number, at: number) => {
    store.write({ parts: withoutPart(parts, key) });
    focus(Math.min(at, parts.length - 2));
  };
  return (
    <>
      <div ref={rows} className="jp-Cabinet-form-fields">
        {parts.map((part, at) => (
          <Part
            key={part.key}
            part={part}
            number={at + 1}
            mayRemove={parts.length > FEWEST_PARTS}
            onChange={change =>
              store.write({
                parts: parts.map(each => (each === part ? { ...each, ...change } : each))
              })
            }
            onRemove={() => remove(part.key, at)}
          />
        ))}
      </div>
      <div>
        <Button
          icon={addIcon}
          label={trans.__('Add another step')}
          onClick={() => {
            store.write({ parts: withPart(parts) });
            focus(parts.length);
          }}
        />
      </div>
    </>
  );
}

function Part(props: {
  part: IPartDraft;
  number: number;
  mayRemove: boolean;
  onChange: (change: Partial<IPartDraft>) => void;
  onRemove: () => void;
}): React.ReactElement {
  const { mayRemove, number, onChange, onRemove, part } = props;
  const { trans } = usePlans();
  const name = trans.__('New step %1', number);
  return (
    <div className="jp-Cabinet-plan-split" role="group" aria-label={name}>
      <div className="jp-Cabinet-plan-split-head">
        <strong>{name}</strong>
        <span className="jp-Cabinet-spring" />
        <Button
          bare
          icon={closeIcon}
          label={trans.__('Remove new step %1', number)}
          blocked={mayRemove ? null : trans.__('A step is split into at least two steps.')}
          onClick={onRemove}
        />
      </div>
      <TextField
        autoFocus={number === 1}
        label={trans.__('Title')}
        value={part.title}
        onChange={title => onChange({ title })}
      />
      <AreaField
        label={trans.__('Instruction')}
        rows={2}
        value={part.prompt}
        onChange={prompt => onChange({ prompt })}
      />
    </div>
  );
}
