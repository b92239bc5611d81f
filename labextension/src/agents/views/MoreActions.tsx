/**
 * The button that opens the menu of what can be done with an agent as a whole.
 */
import { ellipsesIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { AgentRow } from '../../api/types';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { useAgents } from './services';

/** Below an `AgentContext`. Nothing where there is no menu. */
export function MoreActions(props: {
  agent: Pick<AgentRow, 'name' | 'slug'>;
  tabIndex?: number;
}): React.ReactElement | null {
  const { agent, tabIndex } = props;
  const { openMenu, trans } = useAgents();
  return openMenu ? (
    <Button
      bare
      hasMenu
      icon={ellipsesIcon}
      label={trans.__('More actions for %1', visible(agent.name))}
      tabIndex={tabIndex}
      onClick={({ currentTarget }) => openMenu(agent.slug, currentTarget)}
    />
  ) : null;
}
