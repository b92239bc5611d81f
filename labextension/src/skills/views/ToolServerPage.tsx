/**
 * One tool server: how it starts, and every tool that it offers, each with a box to approve it.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import * as React from 'react';

import type { OfferedTool, ToolServer } from '../../api/types';
import { lineDiff } from '../../shared/lineDiff';
import { visible } from '../../shared/untrusted';
import { Button, StateMark } from '../../shared/views/components';
import { DiffLines } from '../../shared/views/DiffLines';
import { Problem } from '../../shared/views/Problem';
import { Untrusted } from '../../shared/views/Untrusted';
import { removalWords, serverLabel, toolLabel, users } from '../stores/toolLabels';
import { useSkills, useWhyNotDecide } from './services';

interface IServerProps {
  server: ToolServer;
}

export function ToolServerPage({ server }: IServerProps): React.ReactElement {
  const { toolServers, trans } = useSkills();
  const { newer } = toolServers;
  const id = React.useId();
  return (
    <section
      className="jp-Cabinet-pane-page jp-Cabinet-pane-scroll"
      aria-label={trans.__('Tool server')}
      tabIndex={-1}
    >
      <header className="jp-Cabinet-pane-head">
        <Button
          link
          className="jp-Cabinet-pane-back"
          label={trans.__('Back to the list')}
          onClick={() => toolServers.choose(null)}
        />
        <h2>{server.name}</h2>
        <State server={server} />
        <Facts server={server} />
        {newer && (
          <Problem
            trans={trans}
            text={trans.__('The tool server has changed since you opened it.')}
            action={
              <Button
                label={trans.__('Show it as it is now')}
                onClick={() => toolServers.showNewer()}
              />
            }
          />
        )}
        <Actions server={server} />
      </header>
      <section className="jp-Cabinet-library-file" aria-labelledby={id}>
        <h3 id={id}>{trans.__('Tools')}</h3>
        {server.tools.length === 0 ? (
          <p>{trans.__('It offers no tools.')}</p>
        ) : (
          <p>{trans.__('Agents use approved tools without a question.')}</p>
        )}
      </section>
      {server.tools.map(tool => (
        <Tool key={tool.name} server={server} tool={tool} />
      ))}
    </section>
  );
}

function State({ server }: IServerProps): React.ReactElement {
  const { openAgent, trans } = useSkills();
  const { icon, label } = serverLabel(server, trans);
  return (
    <p className="jp-Cabinet-pane-line">
      <StateMark icon={icon} />
      <strong>{label}</strong>
      <span>{users(server, trans)}</span>
      {server.agents.map(slug => (
        <Button key={slug} link label={slug} onClick={() => openAgent(slug)} />
      ))}
    </p>
  );
}

function Facts({ server }: IServerProps): React.ReactElement {
  const { trans } = useSkills();
  const {
    address,
    command,
    headers = [],
    mine,
    owner,
    problem,
    proposal,
    shared,
    variables,
    warnings
  } = server;
  const about = [
    mine ? null : trans.__('Shared by %1', visible(owner)),
    mine && shared ? trans.__('Also for agents of other people') : null,
    headers.length ? trans.__('Headers: %1', headers.map(visible).join(', ')) : null,
    variables.length ? trans.__('Variables: %1', variables.map(visible).join(', ')) : null
  ].filter(Boolean);
  return (
    <>
      <pre
        className="jp-Cabinet-library-text"
        tabIndex={0}
        aria-label={address ? trans.__('Address') : trans.__('Command')}
      >
        <Untrusted text={address || command.join('\n')} />
      </pre>
      {about.length > 0 && <p className="jp-Cabinet-quiet">{about.join(' · ')}</p>}
      {proposal && (
        <p className="jp-Cabinet-pane-line jp-mod-warning">
          <StateMark icon="question" />
          <Untrusted text={trans.__('%1 proposes it: %2', proposal.agent, proposal.reason)} />
        </p>
      )}
      {problem && <Problem trans={trans} text={problem} />}
      {(warnings ?? []).map(text => (
        <p key={text} className="jp-Cabinet-pane-line jp-mod-warning">
          <StateMark icon="warning" />
          <Untrusted text={text} />
        </p>
      ))}
    </>
  );
}

function Actions({ server }: IServerProps): React.ReactElement | null {
  const { announce, toolServers, trans } = useSkills();
  const blocked = useWhyNotDecide();
  const { isBusy, isChanged, newer } = toolServers;
  const exchanged = newer ? trans.__('It has changed. Look at it first.') : null;
  const unchanged = isChanged ? null : trans.__('Tick or untick tools first.');
  const approve = async () => {
    if (await toolServers.approve(server)) {
      announce(trans.__('Approval saved'));
    }
  };
  const remove = async () => {
    const { button } = await showDialog({
      title: trans.__('Remove the tool server “%1”?', server.name),
      body: removalWords(server, trans),
      buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Remove') })],
      defaultButton: 0
    });
    if (button.accept) {
      await toolServers.remove(server);
    }
  };
  if (!server.mine) {
    return null;
  }
  return (
    <div className="jp-Cabinet-pane-actions">
      <Button
        filled
        label={trans.__('Save approval')}
        title={trans.__('Agents get exactly the ticked tools')}
        blocked={blocked ?? exchanged ?? unchanged}
        busy={isBusy}
        onClick={() => void approve()}
      />
      <Button
        label={
          server.proposal && !server.tools.length ? trans.__('Start') : trans.__('Check again')
        }
        title={trans.__('Start it or connect to it once, to see what it offers now')}
        blocked={blocked}
        busy={isBusy}
        onClick={() => void toolServers.look(server)}
      />
      <Button
        label={trans.__('Edit…')}
        blocked={blocked}
        onClick={() => toolServers.show({ kind: 'edit', server })}
      />
      <Button
        label={trans.__('Remove…')}
        blocked={blocked}
        busy={isBusy}
        onClick={() => void remove()}
      />
    </div>
  );
}

/** What the model reads of a tool. */
function whole(description: string, schema: object): string {
  return `${description}\n\n${JSON.stringify(schema, null, 2)}`;
}

/** A tool with its description, beside the approved one if that differs. */
function Tool({ server, tool }: IServerProps & { tool: OfferedTool }): React.ReactElement {
  const { toolServers, trans } = useSkills();
  const blocked = useWhyNotDecide();
  const { label } = toolLabel(tool, trans);
  const isFixed = !server.mine || tool.state === 'gone' || blocked !== null;
  const schema = JSON.stringify(tool.schema, null, 2);
  const count = tool.hidden_characters ?? 0;
  return (
    <section
      className="jp-Cabinet-library-file"
      aria-label={trans.__('Tool %1', visible(tool.name))}
    >
      <label className="jp-Cabinet-pane-line">
        <input
          type="checkbox"
          checked={toolServers.ticked.has(tool.name)}
          disabled={isFixed}
          title={blocked ?? undefined}
          onChange={event => toolServers.tick(tool.name, event.target.checked)}
        />
        <strong>
          <Untrusted text={tool.name} />
        </strong>
        <span className="jp-Cabinet-quiet">{label}</span>
      </label>
      {count > 0 && (
        <p className="jp-Cabinet-pane-line jp-mod-warning">
          <StateMark icon="warning" />
          <span>
            {trans._n(
              'It contains 1 invisible character, shown as \\u{…}. It may hide something from you.',
              'It contains %1 invisible characters, shown as \\u{…}. They may hide something from you.',
              count,
              count
            )}
          </span>
        </p>
      )}
      {tool.state === 'changed' ? (
        <DiffLines
          whole
          lines={lineDiff(
            whole(tool.before ?? '', tool.schema_before ?? {}),
            whole(tool.description, tool.schema)
          )}
          label={trans.__('What has changed in %1', visible(tool.name))}
        />
      ) : (
        <>
          <p className="jp-Cabinet-library-description">
            <Untrusted text={tool.description} />
          </p>
          <details>
            <summary>{trans.__('Arguments')}</summary>
            <pre
              className="jp-Cabinet-library-text"
              tabIndex={0}
              aria-label={trans.__('Arguments of %1', visible(tool.name))}
            >
              <Untrusted text={schema} />
            </pre>
          </details>
        </>
      )}
    </section>
  );
}
