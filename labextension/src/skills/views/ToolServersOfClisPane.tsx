/**
 * The tool servers that the CLIs have themselves. They can only be read here, and copied into a new tool server.
 */
import * as React from 'react';

import type { ToolServerOfCli } from '../../api/types';
import { skillIcon } from '../../shared/icons';
import { visible } from '../../shared/untrusted';
import { Button, Card, Icon } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { Problem } from '../../shared/views/Problem';
import { Untrusted } from '../../shared/views/Untrusted';
import { useLabel } from '../stores/toolLabels';
import { copyOf } from '../stores/toolServersOfClis';
import { useSkills, useWhyNotDecide } from './services';

export function ToolServersOfClisPane({ onCopy }: { onCopy: () => void }): React.ReactElement {
  const { ofClis, toolServers, trans } = useSkills();
  useChanges(ofClis.changed);
  const { items, problem, problems } = ofClis;
  React.useEffect(() => void ofClis.refresh(), [ofClis]);
  const copy = (server: ToolServerOfCli) => {
    toolServers.show({ kind: 'new', draft: copyOf(server) });
    onCopy();
  };
  const reload = <Button label={trans.__('Reload')} onClick={() => void ofClis.refresh()} />;
  return (
    <section
      className="jp-Cabinet-pane-page jp-Cabinet-pane-scroll"
      aria-label={trans.__('Tool servers of the CLIs')}
      tabIndex={-1}
    >
      {[...(problem === null ? [] : [problem]), ...problems].map(text => (
        <Problem key={text} trans={trans} text={text} action={reload} />
      ))}
      {items === null && problem === null && (
        <Loading label={trans.__('Reading the settings of the CLIs')} />
      )}
      {items?.length === 0 && problems.length === 0 && <Empty />}
      {items !== null && items.length > 0 && (
        <p className="jp-Cabinet-library-file">
          {trans.__(
            'The settings of your CLIs list these tool servers. Cabinet does not change them, and their tools need no approval here. To give one to an agent, copy it to Cabinet.'
          )}
        </p>
      )}
      {items?.map((server, index) => (
        <Server key={index} server={server} onCopy={() => copy(server)} />
      ))}
    </section>
  );
}

function Empty(): React.ReactElement {
  const { trans } = useSkills();
  return (
    <Card icon={<Icon icon={skillIcon} />} title={trans.__('The CLIs have no tool servers')}>
      <p>
        {trans.__(
          'Tool servers from the settings of Claude Code, Codex, Gemini CLI and opencode appear here: those that you have set up for yourself, and those of this folder.'
        )}
      </p>
    </Card>
  );
}

function Server(props: { server: ToolServerOfCli; onCopy: () => void }): React.ReactElement {
  const { onCopy, server } = props;
  const { trans } = useSkills();
  const { address, command, headers, name, path, title, transport, use, variables } = server;
  const about = [
    variables.length ? trans.__('Variables: %1', variables.map(visible).join(', ')) : null,
    headers.length ? trans.__('Headers: %1', headers.map(visible).join(', ')) : null,
    transport === 'sse' ? trans.__('Older transport (HTTP+SSE), which Cabinet cannot use') : null,
    visible(path)
  ].filter(Boolean);
  return (
    <section
      className="jp-Cabinet-library-file"
      aria-label={trans.__('%1 of %2', visible(name), title)}
    >
      <p className="jp-Cabinet-pane-line">
        <strong>
          <Untrusted text={name} />
        </strong>
        <span>{title}</span>
        <span className="jp-Cabinet-quiet">{useLabel(use, trans)}</span>
      </p>
      <pre
        className="jp-Cabinet-library-text"
        tabIndex={0}
        aria-label={
          address
            ? trans.__('Address of %1', visible(name))
            : trans.__('Command of %1', visible(name))
        }
      >
        <Untrusted text={address || command.join('\n')} />
      </pre>
      <p className="jp-Cabinet-quiet">{about.join(' · ')}</p>
      <p>
        <Button
          label={trans.__('Copy to Cabinet…')}
          title={trans.__('Fill in the form for a new tool server')}
          blocked={useWhyNotDecide()}
          onClick={onCopy}
        />
      </p>
    </section>
  );
}
