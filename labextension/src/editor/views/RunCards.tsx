/**
 * The state of a run that waits for its turn: as a card, or as a strip above the terminal of its session.
 */
import * as React from 'react';

import { queuedWords } from '../../runs';
import { clockIcon, pauseIcon } from '../../shared/icons';
import { visible } from '../../shared/untrusted';
import { Card, Icon, Strip } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { useServices } from './services';

export function QueuedCard(): React.ReactElement {
  const { trans, runs, workSwitch } = useServices();
  useChanges(runs.changed, workSwitch.changed);
  const pausedBy = workSwitch.paused ? visible(workSwitch.state!.by) : null;
  const { title, text } = queuedWords(runs.working.length, pausedBy, trans);
  return (
    <Card icon={<Icon icon={pausedBy === null ? clockIcon : pauseIcon} />} title={title}>
      {text}
    </Card>
  );
}

/** A session that has a terminal says only what a person can change: that all agents are paused. */
export function PausedStrip(): React.ReactElement | null {
  const { trans, workSwitch } = useServices();
  useChanges(workSwitch.changed);
  return workSwitch.paused ? (
    <Strip tone="warning" icon={<Icon icon={pauseIcon} />}>
      {queuedWords(0, visible(workSwitch.state!.by), trans).text}
    </Strip>
  ) : null;
}
