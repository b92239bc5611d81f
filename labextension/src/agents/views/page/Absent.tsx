/**
 * The page of an agent that is not there (any more): what happened to it, and how it comes back.
 */
import * as React from 'react';

import { warningIcon } from '../../../shared/icons';
import { AgentCommands } from '../../../shared/lateCommands';
import { Commands } from '../../../shared/commands';
import { fullTime } from '../../../shared/time';
import { visible } from '../../../shared/untrusted';
import { Button, Card, Icon } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { isFocusLost } from '../parts';
import { usePage } from './services';

export function Absent(): React.ReactElement {
  const { agents, page, run, trans } = usePage();
  React.useEffect(() => agents.watchAll(), [agents]);
  useChanges(agents.changed);
  const found = agents.putAway.find(({ slug }) => slug === page.slug);
  const name = visible(found?.agent_name ?? page.slug);
  const place = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    if (isFocusLost()) {
      place.current?.querySelector('button')?.focus(); // what had the focus is gone with the agent
    }
  }, [found?.name]);
  if (!found) {
    return (
      <Card
        icon={<Icon icon={warningIcon} />}
        title={trans.__('Agent %1 not found', name)}
        actions={
          <Button label={trans.__('Show all agents')} onClick={() => run(Commands.agents)} />
        }
      >
        {trans.__('It was removed or renamed.')}
      </Card>
    );
  }
  return (
    <div ref={place}>
      <Card
        icon={<Icon icon={warningIcon} />}
        title={
          found.isDeleted
            ? trans.__('The agent %1 was deleted', name)
            : trans.__('The agent %1 was archived', name)
        }
        actions={
          <Button
            filled
            label={trans.__('Restore')}
            onClick={() => run(AgentCommands.restore, { name: found.name })}
          />
        }
      >
        {trans.__('%1. Its files are kept.', fullTime(found.at))}
      </Card>
    </div>
  );
}
