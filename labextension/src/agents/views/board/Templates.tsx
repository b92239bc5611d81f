/**
 * Where there is no agent yet: what an agent is, and what to make the first one from.
 */
import * as React from 'react';

import { visible } from '../../../shared/untrusted';
import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { Loading } from '../../../shared/views/Loading';
import { scheduleWords } from '../../stores/boardWords';
import { useBoard } from './services';

export function Templates({ onUse }: { onUse: (name: string) => void }): React.ReactElement {
  const { connection, newAgent, trans } = useBoard();
  const store = React.useMemo(newAgent, [newAgent]);
  React.useEffect(() => {
    void store.load();
    return () => store.dispose();
  }, [store]);
  useChanges(store.changed, connection.changed);
  return (
    <div className="jp-Cabinet-board-empty" tabIndex={-1} data-first-focus>
      <h3>{trans.__('No agents in this workspace')}</h3>
      <p>
        {trans.__(
          'An agent is a folder in .agents/ with a persona, a memory and goals. It runs when you start it, and on its schedule.'
        )}
      </p>
      {store.templates === null && store.refusal === null && (
        <Loading label={trans.__('Loading templates')} />
      )}
      {store.refusal !== null && (
        <p role="alert">
          {visible(store.refusal)}{' '}
          <Button label={trans.__('Try again')} onClick={() => void store.load()} />
        </p>
      )}
      {store.templates && (
        <ul className="jp-Cabinet-templates" aria-label={trans.__('Templates')}>
          {store.templates.map(template => (
            <li key={template.name}>
              <span className="jp-Cabinet-agent-emoji" aria-hidden="true">
                {visible(template.emoji)}
              </span>
              <span className="jp-Cabinet-template-what">
                <strong>{visible(template.title)}</strong>
                <span>{visible(template.description)}</span>
              </span>
              <span className="jp-Cabinet-template-when">{scheduleWords(template, trans)}</span>
              {connection.mayRun && (
                <Button
                  label={trans.__('Use template')}
                  title={trans.__('Use the template %1', visible(template.title))}
                  blocked={connection.online ? null : trans.__('The server cannot be reached.')}
                  onClick={() => onUse(template.name)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
