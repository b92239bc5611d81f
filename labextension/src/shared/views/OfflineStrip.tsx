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
      actions={
        <>
          {connection.isLoggedOut && <LogIn trans={trans} />}
          <Button label={trans.__('Try now')} onClick={() => connection.retryNow()} />
        </>
      }
    >
      {words.filter(Boolean).join(' ')}
    </Strip>
  );
}

/** The page itself: without a login, each kind of server leads from it to its own login page and back. */
function LogIn({ trans }: { trans: TranslationBundle }): React.ReactElement {
  const { origin, pathname, search } = window.location;
  return (
    <a className="jp-Cabinet-log-in" href={`${origin}${pathname}${search}`}>
      {trans.__('Log in')}
    </a>
  );
}
