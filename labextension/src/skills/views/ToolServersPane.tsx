/**
 * The list of tool servers and the one that is shown. In a narrow tab, one after the other.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { skillIcon } from '../../shared/icons';
import { Button, Card, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { serverLabel } from '../stores/toolLabels';
import { LibraryList, LibraryProblems } from './LibraryList';
import { useSkills, useWhyNotDecide } from './services';
import { ToolServerDialog } from './ToolServerDialog';
import { ToolServerPage } from './ToolServerPage';

export function ToolServersPane(): React.ReactElement {
  const { toolServers } = useSkills();
  useChanges(toolServers.changed);
  const { detail } = toolServers;
  React.useEffect(() => {
    if (toolServers.items === null) {
      void toolServers.refresh();
    }
  }, [toolServers]);
  return (
    <>
      <LibraryProblems store={toolServers} reload={() => toolServers.refresh()} />
      <div className="jp-Cabinet-pane-columns">
        <ToolServerList />
        {detail && <ToolServerPage key={detail.name} server={detail} />}
      </div>
      <Form />
    </>
  );
}

function Form(): React.ReactElement | null {
  const { form } = useSkills().toolServers;
  if (form === null) {
    return null;
  }
  return form.kind === 'edit' ? (
    <ToolServerDialog server={form.server} />
  ) : (
    <ToolServerDialog server={null} filled={form.draft} />
  );
}

function ToolServerList(): React.ReactElement {
  const { toolServers, trans } = useSkills();
  return (
    <LibraryList
      label={trans.__('Tool servers')}
      loading={trans.__('Loading the tool servers')}
      store={toolServers}
      rows={
        toolServers.items?.map(server => ({
          name: server.name,
          ...serverLabel(server, trans)
        })) ?? null
      }
      adding={<AddButton />}
      empty={<Empty />}
    />
  );
}

function AddButton({ isFilled }: { isFilled?: boolean }): React.ReactElement {
  const { toolServers, trans } = useSkills();
  return (
    <Button
      filled={isFilled}
      icon={addIcon}
      label={trans.__('New tool server…')}
      blocked={useWhyNotDecide()}
      onClick={() => toolServers.show({ kind: 'new' })}
    />
  );
}

function Empty(): React.ReactElement {
  const { trans } = useSkills();
  return (
    <Card
      icon={<Icon icon={skillIcon} />}
      title={trans.__('No tool servers yet')}
      actions={<AddButton isFilled />}
    >
      <p>
        {trans.__(
          'A tool server (MCP server) gives agents further tools, for example to search your issues or to query a database.'
        )}
      </p>
      <p>
        {trans.__(
          'Agents get only the tools that you approve, with the descriptions that you have read.'
        )}
      </p>
    </Card>
  );
}
