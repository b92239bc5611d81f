/**
 * One run of the activity: a line, which opens to what it asked for and what it changed.
 */
import { caretDownIcon, caretRightIcon, stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ActivityRequest, ActivityEntry } from '../../api/types';
import { Counts } from '../../changes/views';
import { askedLine, isFinal, runLabel, secondText } from '../../runs';
import { OpenPlan } from '../../runs/views';
import { fullTime, when } from '../../shared/time';
import { visible } from '../../shared/untrusted';
import { Button, Icon, StateMark } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { useActivity } from './services';
import { hasPlace, WhatItSaid } from './WhatItSaid';

export function ActivityRow(props: {
  entry: ActivityEntry;
  isCurrent: boolean;
  onFocus: () => void;
}): React.ReactElement {
  const { entry, isCurrent, onFocus } = props;
  const { run, asked } = entry;
  const { activity, connection, trans } = useActivity();
  const [isOpen, setOpen] = React.useState(activity.wanted === run.id);
  const id = React.useId();
  const state = runLabel(run, trans, connection.username);
  const now = new Date();
  const counts = run.changed;
  return (
    <li className="jp-Cabinet-activity-row">
      <button
        type="button"
        className="jp-Cabinet-row-button jp-Cabinet-activity-head"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        tabIndex={isCurrent ? 0 : -1}
        onFocus={onFocus}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon icon={isOpen ? caretDownIcon : caretRightIcon} />
        <span className="jp-Cabinet-activity-when" title={fullTime(run.queued_at)}>
          {when(run.queued_at, now, trans)}
        </span>
        <span className="jp-Cabinet-activity-main">
          <Untrusted
            className="jp-Cabinet-activity-title"
            text={run.instruction.trim().split('\n')[0] || run.reason || run.kind}
          />
          <span className="jp-Cabinet-quiet">
            {visible(askedLine(run, entry.agent_name, trans))}
            {run.path && <> · {visible(run.path)}</>}
            {asked && asked.length > 0 && (
              <> · {trans._n('%1 question', '%1 questions', asked.length)}</>
            )}
          </span>
        </span>
        {counts && counts.files > 0 && (
          <span className="jp-Cabinet-activity-counts">
            {trans._n('%1 file', '%1 files', counts.files)} <Counts counts={counts} trans={trans} />
          </span>
        )}
        <span className="jp-Cabinet-activity-state">
          <StateMark icon={state.icon} /> {state.label}
          <span className="jp-Cabinet-activity-took">{secondText(run, now, trans)}</span>
        </span>
      </button>
      {isOpen && <Details id={id} entry={entry} />}
    </li>
  );
}

function Details({ id, entry }: { id: string; entry: ActivityEntry }): React.ReactElement {
  const { connection, openDocument, openTerminal, activity, review, showRun, showSandbox, trans } =
    useActivity();
  const { asked, files, run } = entry;
  return (
    <div id={id} className="jp-Cabinet-activity-details">
      {run.instruction.trim().includes('\n') && (
        <Untrusted block className="jp-Cabinet-activity-whole" text={run.instruction} />
      )}
      {run.reason && run.state !== 'succeeded' && (
        <Untrusted block className="jp-Cabinet-quiet" text={run.reason} />
      )}
      <WhatItSaid run={run} />
      {asked === null ? (
        <p className="jp-Cabinet-quiet">
          {trans.__('You do not have permission to view its approval requests.')}
        </p>
      ) : (
        asked.length > 0 && (
          <>
            <h3>{trans.__('Approval requests')}</h3>
            <ul className="jp-Cabinet-plain-list">
              {asked.map(each => (
                <Question key={each.id} asked={each} />
              ))}
            </ul>
          </>
        )
      )}
      <Files entry={entry} />
      <div className="jp-Cabinet-activity-actions">
        {!isFinal(run) && (
          <Button
            icon={stopIcon}
            label={trans.__('Stop')}
            blocked={
              connection.mayRun
                ? null
                : trans.__('You can view runs on this server, but not stop them.')
            }
            disabled={!connection.online}
            onClick={() => void activity.stop(run.id)}
          />
        )}
        {files.length > 0 && (
          <Button label={trans.__('Review changes')} onClick={() => review(run)} />
        )}
        {run.terminal_id !== null && !isFinal(run) && (
          <Button
            label={trans.__('Open terminal')}
            onClick={() => openTerminal(run.terminal_id!)}
          />
        )}
        {run.isolated && (
          <Button label={trans.__('What it could see')} onClick={() => showSandbox(run)} />
        )}
        <OpenPlan run={run} />
        {hasPlace(run) && <Button label={trans.__('Open run')} onClick={() => showRun(run)} />}
        {run.path && (
          <Button label={trans.__('Open document')} onClick={() => openDocument(run.path!)} />
        )}
      </div>
    </div>
  );
}

function Files({ entry }: { entry: ActivityEntry }): React.ReactElement {
  const { trans } = useActivity();
  const { files, more_files, not_compared } = entry;
  return (
    <>
      {(files.length > 0 || not_compared) && <h3>{trans.__('Changed')}</h3>}
      {not_compared && <Untrusted block className="jp-Cabinet-quiet" text={not_compared} />}
      {files.length > 0 && (
        <ul className="jp-Cabinet-plain-list">
          {files.map(file => (
            <li key={file.path}>
              <Untrusted text={file.path} /> <Counts counts={file.counts} trans={trans} />
              {file.decision && (
                <span className="jp-Cabinet-quiet">
                  {' '}
                  {file.decision.decision === 'accepted'
                    ? trans.__('accepted by %1', visible(file.decision.by))
                    : trans.__('reverted by %1', visible(file.decision.by))}
                </span>
              )}
            </li>
          ))}
          {more_files > 0 && <li>{trans._n('%1 more file', '%1 more files', more_files)}</li>}
        </ul>
      )}
    </>
  );
}

function Question({ asked }: { asked: ActivityRequest }): React.ReactElement {
  const { trans } = useActivity();
  const outcome = asked.outcome || trans.__('It is waiting for an answer');
  return (
    <li>
      <Untrusted className="jp-Cabinet-activity-what" text={asked.what} />
      <span className="jp-Cabinet-quiet">
        <Untrusted
          text={asked.by ? trans.__('%1, by %2', outcome, visible(asked.by.display_name)) : outcome}
        />
        {asked.rule && (
          <>
            {' '}
            · <Untrusted text={trans.__('rule: %1', asked.rule)} />
          </>
        )}
      </span>
    </li>
  );
}
