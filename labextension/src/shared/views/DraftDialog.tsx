/**
 * A form that stays open, with all that was written, until the server has taken it.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { LabIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { DraftStore } from '../draft';
import { Button } from './components';
import { FormDialog } from './FormDialog';
import { useChanges } from './hooks';

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

export function DraftDialog<T extends object>(props: {
  label: string;
  button: string;
  icon?: LabIcon;
  store: DraftStore<T>;
  /** Why it cannot be sent now; null: it can. */
  blocked: string | null;
  /** Whether enough is written. */
  isReady: boolean;
  send: (draft: Readonly<T>) => Promise<unknown>;
  /** It was sent. Without it, the dialog closes. */
  onSent?: () => void;
  onClose: () => void;
  trans: TranslationBundle;
  children: React.ReactNode;
}): React.ReactElement {
  const { blocked, button, children, icon, isReady, label, send, store, trans } = props;
  const { onClose, onSent = onClose } = props;
  const submit = async () => {
    if (isReady && blocked === null && (await store.send(send))) {
      onSent();
    }
  };
  return (
    <FormDialog
      label={label}
      refusal={store.refusal}
      isBusy={store.isBusy}
      onClose={onClose}
      onEnter={() => void submit()}
      buttons={
        <>
          <Button label={trans.__('Cancel')} onClick={onClose} />
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
