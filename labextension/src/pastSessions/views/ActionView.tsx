/**
 * What a call did, as people read it: a command, an edit as a difference, an address, a question, else its arguments.
 */
import * as React from 'react';

import type { RequestedAction, TimelineEntry } from '../../api/types';
import { lineDiff, patchLines } from '../../shared/lineDiff';
import { visible } from '../../shared/untrusted';
import { Button } from '../../shared/views/components';
import { DiffLines } from '../../shared/views/DiffLines';
import { Untrusted } from '../../shared/views/Untrusted';
import { usePastSessions } from './services';

type Edit = Extract<RequestedAction, { type: 'edit' }>;
type Documents = NonNullable<TimelineEntry['documents']>;
type Argument = Extract<RequestedAction, { type: 'tool' }>['arguments'][number];

/** `documents`: those of its paths that can be opened. */
export function ActionView(props: {
  action: RequestedAction;
  documents: Documents;
}): React.ReactElement {
  const { action, documents } = props;
  switch (action.type) {
    case 'command':
      return (
        <>
          <Code text={action.text || action.argv.join(' ')} />
          <Arguments items={action.more} />
        </>
      );
    case 'edit':
      return (
        <>
          <Files paths={action.paths} documents={documents} />
          {action.changes.map((change, index) => (
            <Change key={index} change={change} />
          ))}
          <Arguments items={action.more} />
        </>
      );
    case 'fetch':
      return (
        <>
          <Code text={action.url || action.query} />
          <Arguments items={action.more} />
        </>
      );
    case 'tool':
      return (
        <>
          <Files paths={action.paths} documents={documents} />
          <Arguments items={action.arguments} />
        </>
      );
    case 'choice':
      return (
        <>
          {action.questions.map(({ answers, question }, index) => (
            <div key={index}>
              <Untrusted block text={question} />
              <ul>
                {answers.map(({ label }, at) => (
                  <li key={at}>
                    <Untrusted text={label} />
                  </li>
                ))}
              </ul>
            </div>
          ))}
          <Arguments items={action.more} />
        </>
      );
  }
}

function Files(props: { paths: readonly string[]; documents: Documents }): React.ReactElement {
  const { documents, paths } = props;
  const { openDocument, trans } = usePastSessions();
  return (
    <>
      {paths.map(path => (
        <div key={path}>
          {Object.hasOwn(documents, path) ? (
            <Button
              link
              className="jp-Cabinet-code"
              label={visible(path)}
              title={trans.__('Open document')}
              onClick={() => openDocument(documents[path])}
            />
          ) : (
            <Untrusted className="jp-Cabinet-code" text={path} />
          )}
        </div>
      ))}
    </>
  );
}

function Code({ text }: { text: string }): React.ReactElement | null {
  return text ? <Untrusted block className="jp-Cabinet-past-code" text={text} /> : null;
}

function Change({ change }: { change: Edit['changes'][number] }): React.ReactElement {
  const { trans } = usePastSessions();
  const { cell, diff, old } = change;
  const lines = React.useMemo(
    () => (diff ? patchLines(diff) : lineDiff(old ?? '', change.new)),
    [change, diff, old]
  );
  return (
    <>
      {cell && <Untrusted className="jp-Cabinet-quiet" text={trans.__('Cell %1', cell)} />}
      <DiffLines lines={lines} label={trans.__('Change')} />
    </>
  );
}

function Arguments({ items }: { items: readonly Argument[] }): React.ReactElement | null {
  return items.length === 0 ? null : (
    <dl className="jp-Cabinet-past-arguments">
      {items.map(({ name, value }, index) => (
        <React.Fragment key={index}>
          <dt>
            <Untrusted text={name} />
          </dt>
          <dd>
            <Untrusted text={value} />
          </dd>
        </React.Fragment>
      ))}
    </dl>
  );
}
