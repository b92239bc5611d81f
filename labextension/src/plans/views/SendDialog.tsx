/**
 * A form that stays open, with all that was written, until the server has taken it.
 */
import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../../shared/views/components';
import { FormDialog } from '../../shared/views/FormDialog';
import { useChanges } from '../../shared/views/hooks';
import { DraftStore } from '../stores/draft';
import { type IWhyNot, usePlans, useWhyNot } from './services';

/** The draft of a form, for as long as it is open. */
export function useDraft<T extends object>(
  make: () => T,
  fields: Readonly<Record<string, keyof T>> = {}
): DraftStore<T> {
  const store = React.useMemo(() => new DraftStore(make(), fields), []);
  React.useEffect(() => () => store.dispose(), [store]);
  useChanges(store.changed);
  return store;
}

export function SendDialog<T extends object>(props: {
  label: string;
  button: string;
  icon?: LabIcon;
  store: DraftStore<T>;
  /** The right that it needs, `change` by default. */
  right?: keyof IWhyNot;
  /** Whether enough is written. */
  isReady: boolean;
  send: (draft: Readonly<T>) => Promise<unknown>;
  children: React.ReactNode;
}): React.ReactElement {
  const { button, children, icon, isReady, label, right = 'change', send, store } = props;
  const { plans, trans } = usePlans();
  const blocked = useWhyNot()[right];
  const close = () => plans.show(null);
  const submit = async () => {
    if (isReady && blocked === null && (await store.send(send))) {
      close();
    }
  };
  return (
    <FormDialog
      label={label}
      refusal={store.refusal}
      onClose={close}
      onEnter={() => void submit()}
      buttons={
        <>
          <Button label={trans.__('Cancel')} onClick={close} />
          <Button
            filled
            icon={icon}
            label={button}
            title={trans.__('Ctrl+Enter')}
            busy={store.isBusy}
            blocked={blocked}
            disabled={!isReady}
            onClick={() => void submit()}
          />
        </>
      }
    >
      <div className="jp-Cabinet-form-fields">{children}</div>
    </FormDialog>
  );
}
