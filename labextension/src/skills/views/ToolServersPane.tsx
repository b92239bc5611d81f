/**
 * The list of tool servers and the one that is shown. In a narrow tab, one after the other.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ToolServer } from '../../api/types';
import { skillIcon } from '../../shared/icons';
import { Button, Card, Icon, StateMark } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Problem } from '../../shared/views/Problem';
import { useArrows } from '../../shared/views/useArrows';
import { serverLabel } from '../stores/toolLabels';
import { useSkills, useWhyNotDecide } from './services';
import { ToolServerDialog } from './ToolServerDialog';
import { ToolServerPage } from './ToolServerPage';

export function ToolServersPane(): React.ReactElement {
  const { toolServers, trans } = useSkills();
  useChanges(toolServers.changed);
  const { detail, problem, problems, refusal } = toolServers;
  React.useEffect(() => {
    if (toolServers.items === null) {
      void toolServers.refresh();
    }
  }, [toolServers]);
  return (
    <>
      {[...(problem === null ? [] : [problem]), ...problems].map(text => (
        <Problem
          key={text}
          trans={trans}
          text={text}
          action={<Button label={trans.__('Reload')} onClick={() => void toolServers.refresh()} />}
        />
      ))}
      {refusal !== null && (
        <Problem trans={trans} text={refusal} onDismiss={() => toolServers.dismissRefusal()} />
      )}
      <div className="jp-Cabinet-library-columns">
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
  return <ToolServerDialog server={form.kind === 'edit' ? form.server : null} />;
}

function ToolServerList(): React.ReactElement {
  const { toolServers, trans } = useSkills();
  return (
    <section className="jp-Cabinet-library-list" aria-label={trans.__('Tool servers')}>
      {toolServers.items !== null && toolServers.items.length > 0 && (
        <div className="jp-Cabinet-library-tools">
          <AddButton />
        </div>
      )}
      <Rows />
    </section>
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

function Rows(): React.ReactElement | null {
  const { toolServers, trans } = useSkills();
  const { items, problem } = toolServers;
  const list = React.useRef<HTMLUListElement>(null);
  const arrows = useArrows(list, '.jp-Cabinet-library-row', items?.length ?? 0);
  if (items === null) {
    return problem === null ? <Loading label={trans.__('Loading the tool servers')} /> : null;
  }
  if (items.length === 0) {
    return <Empty />;
  }
  return (
    <ul ref={list} className="jp-Cabinet-library-rows" onKeyDown={arrows.onKeyDown}>
      {items.map((server, index) => (
        <Row
          key={server.name}
          server={server}
          isCurrent={index === arrows.current}
          onFocus={() => arrows.setCurrent(index)}
        />
      ))}
    </ul>
  );
}

function Row(props: {
  server: ToolServer;
  isCurrent: boolean;
  onFocus: () => void;
}): React.ReactElement {
  const { isCurrent, onFocus, server } = props;
  const { toolServers, trans } = useSkills();
  const { icon, label } = serverLabel(server, trans);
  return (
    <li>
      <button
        type="button"
        className="jp-Cabinet-library-row"
        aria-current={server.name === toolServers.detail?.name || undefined}
        tabIndex={isCurrent ? 0 : -1}
        onFocus={onFocus}
        onClick={() => toolServers.choose(server.name)}
      >
        <strong>{server.name}</strong>
        <span className="jp-Cabinet-library-line">
          <StateMark icon={icon} />
          <span>{label}</span>
        </span>
      </button>
    </li>
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
