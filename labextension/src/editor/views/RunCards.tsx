/**
 * The state of a run that waits for its turn, as a card.
 */
import * as React from 'react';

import { clockIcon } from '../../shared/icons';
import { Card, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { useServices } from './services';

export function QueuedCard(): React.ReactElement {
  const { trans, runs } = useServices();
  useChanges(runs.changed);
  const working = runs.working.length;
  return (
    <Card
      icon={<Icon icon={clockIcon} />}
      title={
        working
          ? trans._n('%1 run is in progress', '%1 runs are in progress', working)
          : trans.__('Waiting for a free slot')
      }
    >
      {trans.__('This run starts when a slot is free.')}
    </Card>
  );
}
