/**
 * A strip that says what went wrong.
 */
import { closeIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { errorDiscIcon } from '../icons';
import { Button, Icon, Strip } from './components';
import { Untrusted } from './Untrusted';

/** Why something cannot be shown, or was not done. */
export function Problem(props: {
  text: string;
  action?: React.ReactNode;
  onDismiss?: () => void;
  trans: TranslationBundle;
}): React.ReactElement {
  const { action, onDismiss, text, trans } = props;
  return (
    <Strip
      tone="warning"
      icon={<Icon icon={errorDiscIcon} />}
      actions={
        <>
          {action}
          {onDismiss && (
            <Button bare icon={closeIcon} label={trans.__('Dismiss')} onClick={onDismiss} />
          )}
        </>
      }
    >
      <span role="alert">
        <Untrusted text={text} />
      </span>
    </Strip>
  );
}
