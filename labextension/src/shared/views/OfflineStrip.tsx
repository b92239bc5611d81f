/**
 * Tells that the server cannot be reached, in every panel. Shows nothing while it can.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ConnectionStore } from '../connection';
import { offlineIcon } from '../icons';
import { offlineText } from '../offline';
import { Button, Icon, Strip } from './components';
import { useChanges } from './hooks';

export function OfflineStrip(props: {
  connection: ConnectionStore;
  trans: TranslationBundle;
  /** A sentence about what that means here. */
  more?: string;
  /** Nothing is shown yet. */
  isEmpty?: boolean;
}): React.ReactElement | null {
  const { connection, isEmpty, more, trans } = props;
  useChanges(connection.changed);
  if (connection.status !== 'offline') {
    return null;
  }
  const words = [offlineText(connection, trans, isEmpty), more];
  return (
    <Strip
      tone="warning"
      icon={<Icon icon={offlineIcon} />}
      actions={<Button label={trans.__('Try now')} onClick={() => connection.retryNow()} />}
    >
      {words.filter(Boolean).join(' ')}
    </Strip>
  );
}
