/**
 * Stars a session, or removes its star.
 */
import * as React from 'react';

import type { CliSession } from '../../api/types';
import { starFilledIcon, starIcon } from '../../shared/icons';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { titleOf } from '../stores/labels';
import { usePastSessions } from './services';

export function StarButton(props: {
  session: CliSession;
  isCurrent?: boolean;
}): React.ReactElement {
  const { isCurrent = true, session } = props;
  const { connection, sessions, trans } = usePastSessions();
  const { starred } = session.marks;
  return (
    <Button
      bare
      icon={starred ? starFilledIcon : starIcon}
      label={trans.__('Star “%1”', visible(titleOf(session, trans)))}
      title={starred ? trans.__('Remove the star') : trans.__('Star')}
      pressed={starred}
      tabIndex={isCurrent ? undefined : -1}
      disabled={!connection.online}
      className="jp-Cabinet-past-star"
      onClick={() => void sessions.mark(session, { starred: !starred })}
    />
  );
}
