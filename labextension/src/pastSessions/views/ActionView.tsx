/**
 * What a call did, as people read it: a command, an edit as a difference, an address, a question, else its arguments.
 */
import * as React from 'react';

import type { RequestedAction } from '../../api/types';
import { lineDiff, patchLines } from '../../shared/lineDiff';
import { DiffLines } from '../../shared/views/DiffLines';
import { Untrusted } from '../../shared/views/Untrusted';
import { usePastSessions } from './services';

type Edit = Extract<RequestedAction, { type: 'edit' }>;
type Argument = Extract<RequestedAction, { type: 'tool' }>['arguments'][number];

export function ActionView({ action }: { action: RequestedAction }): React.ReactElement {
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
          {action.paths.map(path => (
            <div key={path}>
              <Untrusted className="jp-Cabinet-code" text={path} />
            </div>
          ))}
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
          {action.paths.map(path => (
            <div key={path}>
              <Untrusted className="jp-Cabinet-code" text={path} />
            </div>
          ))}
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
