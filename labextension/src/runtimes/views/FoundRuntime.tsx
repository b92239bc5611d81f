/**
 * One agent CLI that was found: version, login, abilities, last error, and a test prompt.
 */
import { stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { RuntimeRow } from '../../api/types';
import { errorDiscIcon, successIcon, warningIcon } from '../../shared/icons';
import { isFinal } from '../../runs';
import { abilities, foundText, loginText, modeText, testText } from '../stores/labels';
import { fullTime, when } from '../../shared/time';
import { Button, Icon, Ring, Strip } from '../../shared/views/components';
import { useChanges, useKnownTime } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import { useRuntimes } from './services';
import { Docs } from './Docs';

export function Found({ row }: { row: RuntimeRow }): React.ReactElement {
  const { trans } = useRuntimes();
  const title = React.useId();
  const can = abilities(row.capabilities, trans);
  const modes = modeText(row.capabilities, trans);
  return (
    <article className="jp-Cabinet-runtime" aria-labelledby={title} data-runtime={row.name}>
      <header className="jp-Cabinet-runtime-head">
        <Icon icon={row.reason || row.login === 'no' ? errorDiscIcon : successIcon} />
        <h4 id={title}>
          <Untrusted text={row.title} />
        </h4>
        {row.is_default && <span className="jp-Cabinet-quiet">{trans.__('used by default')}</span>}
        <span className="jp-Cabinet-spring" />
        <Docs row={row} />
      </header>
      {[row.reason, row.warning].map(
        (text, index) =>
          text && (
            <Strip key={index} tone="warning" icon={<Icon icon={warningIcon} />}>
              <Untrusted text={text} />
            </Strip>
          )
      )}
      <dl className="jp-Cabinet-facts">
        <dt>{trans.__('Version')}</dt>
        <dd>{foundText(row, trans)}</dd>
        <dt>{trans.__('Login')}</dt>
        <dd>{loginText(row, trans)}</dd>
        {can.length > 0 && (
          <>
            <dt>{trans.__('Capabilities')}</dt>
            <dd>{can.join(', ')}</dd>
          </>
        )}
        {modes && (
          <>
            <dt>{trans.__('Permission')}</dt>
            <dd>{modes}</dd>
          </>
        )}
        <LastError row={row} />
      </dl>
      <Test row={row} />
    </article>
  );
}

function LastError({ row }: { row: RuntimeRow }): React.ReactElement | null {
  const { openRun, trans } = useRuntimes();
  const error = row.last_error;
  return error ? (
    <>
      <dt>{trans.__('Last error')}</dt>
      <dd>
        <Untrusted text={error.message} />{' '}
        <time className="jp-Cabinet-quiet" dateTime={error.at} title={fullTime(error.at)}>
          {when(error.at, new Date(), trans)}
        </time>
        <Button link label={trans.__('Open run')} onClick={() => void openRun(error.run_id)} />
      </dd>
    </>
  ) : null;
}

/** The test prompt: sent, running with its time, and its end in a sentence. */
function Test({ row }: { row: RuntimeRow }): React.ReactElement | null {
  const { connection, tests, trans } = useRuntimes();
  useChanges(tests.changed, connection.changed);
  const isWorking = tests.isWorking(row.name);
  const run = tests.run(row.name);
  const now = useKnownTime(connection, isWorking);
  const problem = tests.problem(row.name);
  if (!row.capabilities.headless || !connection.mayRun) {
    return null;
  }
  return (
    <div className="jp-Cabinet-runtime-test">
      <Button
        label={trans.__('Send a test prompt')}
        busy={isWorking}
        disabled={!connection.online}
        onClick={() => void tests.start(row.name)}
      />
      {run && !isFinal(run) && (
        <Button
          icon={stopIcon}
          label={trans.__('Stop')}
          onClick={() => void tests.stop(row.name)}
        />
      )}
      <Result
        words={problem ?? (run ? testText(run, now, trans) : '')}
        isWorking={isWorking}
        isGood={problem === null && run?.state === 'succeeded'}
      />
    </div>
  );
}

/** Said once at the end, never while it counts. */
function Result(props: { words: string; isWorking: boolean; isGood: boolean }): React.ReactElement {
  const { words, isWorking, isGood } = props;
  return (
    <>
      {isWorking ? <Ring /> : words && <Icon icon={isGood ? successIcon : errorDiscIcon} />}
      <span role="status" aria-live={isWorking ? 'off' : 'polite'}>
        <Untrusted text={words} />
      </span>
    </>
  );
}
