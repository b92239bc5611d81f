/**
 * Past and open sessions: of this document or of all, with search. One tab stop; arrows move.
 */
import { closeIcon, historyIcon, searchIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { SessionRow } from '../../api/types';
import { isFinal, runLabel, secondText } from '../../runs';
import { agentOf, documentOf } from '../stores/document';
import { folderOf, type Scope } from '../stores/history';
import { Commands } from '../../shared/commands';
import { fullTime, when } from '../../shared/time';
import { Loading } from '../../shared/views/Loading';
import { Button, Card, Icon, StateMark } from '../../shared/views/components';
import { useChanges, useKnownTime } from '../../shared/views/hooks';
import { useServices } from './services';
import { Untrusted } from '../../shared/views/Untrusted';
import { EmptyCard } from './StartCards';

const SEARCH_PAUSE_MS = 250;

export function History(): React.ReactElement {
  const { editor, has, run, trans } = useServices();
  const { history } = editor;
  useChanges(history.changed);
  const { items } = history;
  const showsFilter =
    items === null || items.length > 0 || history.query || history.scope === 'all';
  return (
    <div className="jp-Cabinet-history">
      {showsFilter && <Filter />}
      {items === null ? (
        <Loading label={trans.__('Loading sessions')} />
      ) : items.length > 0 ? (
        <Rows items={items} />
      ) : history.query ? (
        <NoResults />
      ) : (
        <EmptyCard />
      )}
      {has(Commands.pastSessions) && (
        <div className="jp-Cabinet-more">
          <Button
            quiet
            icon={historyIcon}
            label={trans.__('Past sessions')}
            title={trans.__(
              'All sessions of the agent CLIs in this project, also those from a terminal'
            )}
            onClick={() =>
              run(Commands.pastSessions, { folder: folderOf(items ?? [], editor.path) })
            }
          />
        </div>
      )}
    </div>
  );
}

function Filter(): React.ReactElement {
  const { editor, trans } = useServices();
  const { history } = editor;
  const [query, setQuery] = React.useState(history.query);
  React.useEffect(() => setQuery(history.query), [history.query]);
  React.useEffect(() => {
    if (query === history.query) {
      return;
    }
    const timer = setTimeout(() => void history.show({ query }), SEARCH_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query, history]);
  const scopes: { id: Scope; label: string }[] = [
    { id: 'document', label: trans.__('This document') },
    { id: 'all', label: trans.__('All') }
  ];
  return (
    <div className="jp-Cabinet-filter">
      <div className="jp-Cabinet-segments" role="group" aria-label={trans.__('Sessions of')}>
        {scopes.map(({ id, label }) => (
          <button
            key={id}
            type="button"
            className="jp-Cabinet-segment"
            aria-pressed={history.scope === id}
            onClick={() => void history.show({ scope: id })}
          >
            {label}
          </button>
        ))}
      </div>
      <div className="jp-Cabinet-search">
        <Icon icon={searchIcon} />
        <input
          className="jp-Cabinet-search-input"
          type="text"
          role="searchbox"
          aria-label={trans.__('Search sessions')}
          placeholder={trans.__('Search sessions')}
          value={query}
          onChange={event => setQuery(event.target.value)}
        />
        {query && (
          <Button
            bare
            icon={closeIcon}
            label={trans.__('Clear search')}
            onClick={() => setQuery('')}
          />
        )}
      </div>
    </div>
  );
}

function NoResults(): React.ReactElement {
  const { editor, trans } = useServices();
  const { history } = editor;
  return (
    <Card
      icon={<Icon icon={searchIcon} />}
      title={trans.__('No session matches “%1”', history.query)}
      actions={
        <>
          <Button
            label={trans.__('Clear search')}
            onClick={() => void history.show({ query: '' })}
          />
          {history.scope === 'document' && (
            <Button
              label={trans.__('Search all documents')}
              onClick={() => void history.show({ scope: 'all' })}
            />
          )}
        </>
      }
    >
      {trans.__('The search covers instructions, answers and file names.')}
    </Card>
  );
}

function Rows({ items }: { items: SessionRow[] }): React.ReactElement {
  const { connection, openDocument, trans, editor } = useServices();
  const show = async ({ session }: SessionRow) => {
    if (documentOf(session) !== editor.path) {
      await openDocument(documentOf(session));
    }
    await editor.open(session.id);
  };
  const [focused, setFocused] = React.useState(0);
  const isTicking = items.some(row => row.last_run !== null && !isFinal(row.last_run));
  const now = useKnownTime(connection, isTicking);
  const onKeyDown = (event: React.KeyboardEvent<HTMLUListElement>) => {
    const next = {
      ArrowDown: Math.min(focused + 1, items.length - 1),
      ArrowUp: Math.max(focused - 1, 0),
      Home: 0,
      End: items.length - 1
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setFocused(next);
      event.currentTarget.querySelectorAll<HTMLElement>('.jp-Cabinet-row')[next]?.focus();
    }
  };
  return (
    <ul className="jp-Cabinet-plain-list" aria-label={trans.__('Sessions')} onKeyDown={onKeyDown}>
      {items.map((row, index) => (
        <li key={row.session.id}>
          <button
            type="button"
            className="jp-Cabinet-row-button jp-Cabinet-row"
            tabIndex={index === Math.min(focused, items.length - 1) ? 0 : -1}
            onFocus={() => setFocused(index)}
            onClick={() => void show(row)}
          >
            <RowBody row={row} now={now} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function RowBody({ row, now }: { row: SessionRow; now: Date }): React.ReactElement {
  const { connection, trans, editor } = useServices();
  const { session, last_run: run } = row;
  const words = run ? runLabel(run, trans) : null;
  const title = firstLine(run?.instruction) || session.title || trans.__('New session');
  const showsPath = editor.history.scope === 'all';
  return (
    <>
      <StateMark icon={words?.icon ?? 'clock'} />
      <span className="jp-Cabinet-row-main">
        <Untrusted className="jp-Cabinet-row-title" text={title} />
        <Untrusted
          className="jp-Cabinet-row-second"
          text={second(row, { showsPath, username: connection.username }, now, trans)}
        />
      </span>
      <time
        className="jp-Cabinet-row-time"
        dateTime={session.updated_at}
        title={fullTime(session.updated_at)}
      >
        {when(session.updated_at, now, trans)}
      </time>
    </>
  );
}

function firstLine(text: string | undefined): string {
  return text?.trim().split('\n')[0] ?? '';
}

function second(
  row: SessionRow,
  { showsPath, username }: { showsPath: boolean; username: string | null },
  now: Date,
  trans: TranslationBundle
): string {
  const { last_run: run, session } = row;
  // What tells rows apart comes first: a long reason is cut at its end.
  const agent = agentOf(session);
  const who = agent === null ? (run?.runtime_title ?? session.runtime) : trans.__('with %1', agent);
  const parts = [showsPath ? documentOf(session) : '', who];
  if (run) {
    const { label } = runLabel(run, trans, username);
    const why = run.failure?.message || run.reason;
    parts.push(run.state === 'failed' && why ? `${label}: ${why}` : label);
    parts.push(secondText(run, now, trans));
  }
  if (row.runs > 1) {
    parts.push(trans._n('%1 instruction', '%1 instructions', row.runs));
  }
  return parts.filter(part => part).join(', ');
}
