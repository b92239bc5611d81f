/**
 * The agent CLIs in JupyterLab's settings: which were found, what they can do, what is missing and how to get it.
 */
import { checkIcon, copyIcon, launchIcon, refreshIcon, stopIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { RuntimeRow } from '../../api/types';
import { errorDiscIcon, offlineIcon, skipIcon, successIcon, warningIcon } from '../../shared/icons';
import { isFinal } from '../../runs';
import type { RuntimeTestStore } from '../stores/runtimeTests';
import { abilities, foundText, loginText, modeText, testText } from '../stores/labels';
import { safeUrl, visible } from '../../shared/untrusted';
import { fullTime, when } from '../../shared/time';
import type { ConnectionStore } from '../../shared/connection';
import type { RuntimeStore } from '../stores/runtimes';
import { Loading } from '../../shared/views/Loading';
import { Button, Icon, Ring, Strip } from '../../shared/views/components';
import { useChanges, useNow } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';

import '../../../style/shared.css';
import '../../../style/editor.css';
import '../../../style/runtimes.css';

export interface IRuntimeServices {
  connection: ConnectionStore;
  runtimes: RuntimeStore;
  tests: RuntimeTestStore;
  trans: TranslationBundle;
  openRun: (runId: string) => Promise<void>;
}

const Context = React.createContext<IRuntimeServices | null>(null);
const useSection = () => React.useContext(Context)!;

export function RuntimesSection({ services }: { services: IRuntimeServices }): React.ReactElement {
  const { connection, runtimes, trans } = services;
  useChanges(connection.changed, runtimes.changed);
  React.useEffect(() => void runtimes.load().catch(() => undefined), [runtimes]);
  const { items } = runtimes;
  return (
    <Context.Provider value={services}>
      <section className="jp-Cabinet-runtimes" aria-label={trans.__('Agent runtimes')}>
        <header className="jp-Cabinet-runtimes-head">
          <h3>{trans.__('Agent runtimes')}</h3>
          <span className="jp-Cabinet-spring" />
          <LookAgain />
        </header>
        <p className="jp-Cabinet-quiet">
          {trans.__(
            'The agent programs on this server. In a terminal, “jupyter cabinet doctor” lists them too.'
          )}
        </p>
        {!connection.online && (
          <Strip tone="warning" icon={<Icon icon={offlineIcon} />}>
            {trans.__('Not connected. This is what was known last.')}
          </Strip>
        )}
        {items === null ? (
          <Loading label={trans.__('Looking for agent programs')} />
        ) : (
          <>
            {runtimes.noneFound && <NoneFound />}
            {items
              .filter(row => row.found)
              .map(row => (
                <Found key={row.name} row={row} />
              ))}
            <Missing rows={items.filter(row => !row.found && row.builtin)} />
            <Others rows={items.filter(row => !row.found && !row.builtin)} />
          </>
        )}
      </section>
    </Context.Provider>
  );
}

function LookAgain(): React.ReactElement {
  const { connection, runtimes, trans } = useSection();
  const [busy, setBusy] = React.useState(false);
  const appearance = async () => {
    setBusy(true);
    await runtimes.load().catch(() => undefined);
    setBusy(false);
  };
  return (
    <Button
      icon={refreshIcon}
      label={busy ? trans.__('Looking') : trans.__('Look again')}
      busy={busy}
      disabled={!connection.online}
      onClick={() => void appearance()}
    />
  );
}

function NoneFound(): React.ReactElement {
  const { trans } = useSection();
  return (
    <Strip tone="warning" icon={<Icon icon={warningIcon} />}>
      {trans.__(
        'No agent CLI was found. Install one of those that are listed below, then look again. The demo agent needs no key and no model.'
      )}
    </Strip>
  );
}

function Found({ row }: { row: RuntimeRow }): React.ReactElement {
  const { trans } = useSection();
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
        {row.is_default && (
          <span className="jp-Cabinet-quiet">{trans.__('used where you choose no other')}</span>
        )}
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
            <dt>{trans.__('What it does')}</dt>
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
  const { openRun, trans } = useSection();
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

function Docs({ row }: { row: RuntimeRow }): React.ReactElement | null {
  const { trans } = useSection();
  const url = safeUrl(row.docs);
  return url ? (
    <a
      className="jp-Cabinet-docs"
      href={url.href}
      target="_blank"
      rel="noopener noreferrer"
      title={url.href}
    >
      {trans.__('Documentation of %1', visible(row.title))} <Icon icon={launchIcon} />
    </a>
  ) : null;
}

/** The test prompt: sent, running with its time, and its end in a sentence. */
function Test({ row }: { row: RuntimeRow }): React.ReactElement | null {
  const { connection, tests, trans } = useSection();
  useChanges(tests.changed, connection.changed);
  const isWorking = tests.isWorking(row.name);
  const run = tests.run(row.name);
  const now = useNow(isWorking);
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

function Missing({ rows }: { rows: RuntimeRow[] }): React.ReactElement | null {
  const { trans } = useSection();
  return rows.length ? (
    <details className="jp-Cabinet-missing">
      <summary>
        {trans._n(
          '%1 agent program was not found: how to install it',
          '%1 agent programs were not found: how to install them',
          rows.length
        )}
      </summary>
      {rows.map(row => (
        <MissingRow key={row.name} row={row} />
      ))}
    </details>
  ) : null;
}

function MissingRow({ row }: { row: RuntimeRow }): React.ReactElement {
  const { trans } = useSection();
  return (
    <article className="jp-Cabinet-runtime" data-runtime={row.name} aria-label={visible(row.title)}>
      <header className="jp-Cabinet-runtime-head">
        <Icon icon={skipIcon} />
        <h4>
          <Untrusted text={row.title} />
        </h4>
        <span className="jp-Cabinet-spring" />
        <Docs row={row} />
      </header>
      <Untrusted block className="jp-Cabinet-quiet" text={row.reason} />
      {row.install && (
        <div className="jp-Cabinet-install-line">
          <Untrusted className="jp-Cabinet-code" text={row.install} />
          <Copy
            text={row.install}
            label={trans.__('Copy the command for %1', visible(row.title))}
          />
        </div>
      )}
    </article>
  );
}

function Copy({ text, label }: { text: string; label: string }): React.ReactElement {
  const { trans } = useSection();
  const [done, setDone] = React.useState<boolean | null>(null);
  const copy = async (anchor: HTMLElement) => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
    } catch {
      // No clipboard without a secure address: select it, the keys copy.
      const code = anchor.parentElement!.querySelector('.jp-Cabinet-code')!;
      getSelection()?.selectAllChildren(code);
      setDone(false);
    }
  };
  return (
    <>
      <Button
        bare
        icon={done ? checkIcon : copyIcon}
        label={label}
        onClick={event => void copy(event.currentTarget)}
      />
      <span className="jp-Cabinet-quiet" role="status">
        {done === null
          ? ''
          : done
            ? trans.__('Copied')
            : trans.__('Selected: copy it with the keys')}
      </span>
    </>
  );
}

/** Runtimes of other packages: off until somebody enables them by name. */
function Others({ rows }: { rows: RuntimeRow[] }): React.ReactElement | null {
  const { trans } = useSection();
  return rows.length ? (
    <section aria-label={trans.__('From other packages')}>
      <h4>{trans.__('From other packages')}</h4>
      {rows.map(row => (
        <p key={row.name} data-runtime={row.name}>
          <Untrusted text={row.reason || trans.__('%1 is off until it is enabled.', row.title)} />
        </p>
      ))}
    </section>
  ) : null;
}
