/**
 * Tells that all agents are paused, and by whom, in every panel that starts runs. Shows nothing while they are not.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ConnectionStore } from '../../shared/connection';
import { pauseIcon } from '../../shared/icons';
import { visible } from '../../shared/untrusted';
import { Icon, Strip } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { pausedWords } from '../stores/labels';
import type { RunStore } from '../stores/runs';
import type { WorkSwitchStore } from '../stores/workSwitch';

export function AllPaused(props: {
  connection: ConnectionStore;
  runs: RunStore;
  workSwitch: WorkSwitchStore;
  trans: TranslationBundle;
  actions?: React.ReactNode;
}): React.ReactElement | null {
  const { actions, connection, runs, trans, workSwitch } = props;
  useChanges(connection.changed, runs.changed, workSwitch.changed);
  const { state } = workSwitch;
  return state?.paused ? (
    <Strip tone="warning" icon={<Icon icon={pauseIcon} />} actions={actions}>
      {visible(pausedWords(state, runs.working.length, connection.mayPauseAll, trans))}
    </Strip>
  ) : null;
}
