/**
 * The agent CLIs in JupyterLab's settings: which were found, what they can do, what is missing and how to get it.
 */
import { refreshIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { RuntimeRow } from '../../api/types';
import { offlineIcon, warningIcon } from '../../shared/icons';
import { offlineText } from '../../shared/offline';
import { Loading } from '../../shared/views/Loading';
import { Button, Icon, Strip } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';

import '../../../style/shared.css';
import '../../../style/editor.css';
import '../../../style/runtimes.css';
import { RuntimeContext, useRuntimes, type IRuntimeServices } from './services';
import { Missing } from './MissingRuntimes';
import { Found } from './FoundRuntime';

export function RuntimesSection({ services }: { services: IRuntimeServices }): React.ReactElement {
  const { connection, runtimes, trans } = services;
  useChanges(connection.changed, runtimes.changed);
  React.useEffect(() => void runtimes.load().catch(() => undefined), [runtimes]);
  const { items } = runtimes;
  return (
    <RuntimeContext.Provider value={services}>
      <section className="jp-Cabinet-runtimes" aria-label={trans.__('Agent runtimes')}>
        <header className="jp-Cabinet-runtimes-head">
          <h3>{trans.__('Agent runtimes')}</h3>
          <span className="jp-Cabinet-spring" />
          <CheckAgain />
        </header>
        <p className="jp-Cabinet-quiet">
          {trans.__(
            'The agent CLIs on this server. In a terminal, “jupyter cabinet doctor” lists them too.'
          )}
        </p>
        {!connection.online && (
          <Strip tone="warning" icon={<Icon icon={offlineIcon} />}>
            {offlineText(connection, trans)}
          </Strip>
        )}
        {items === null ? (
          <Loading label={trans.__('Looking for agent CLIs')} />
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
    </RuntimeContext.Provider>
  );
}

function CheckAgain(): React.ReactElement {
  const { connection, runtimes, trans } = useRuntimes();
  const [busy, setBusy] = React.useState(false);
  const look = async () => {
    setBusy(true);
    await runtimes.load().catch(() => undefined);
    setBusy(false);
  };
  return (
    <Button
      icon={refreshIcon}
      label={busy ? trans.__('Checking') : trans.__('Check again')}
      busy={busy}
      disabled={!connection.online}
      onClick={() => void look()}
    />
  );
}

function NoneFound(): React.ReactElement {
  const { trans } = useRuntimes();
  return (
    <Strip tone="warning" icon={<Icon icon={warningIcon} />}>
      {trans.__(
        'No agent CLI was found. Install one of those that are listed below, then check again. The demo agent needs no key and no model.'
      )}
    </Strip>
  );
}

/** Runtimes of other packages: off until somebody enables them by name. */
function Others({ rows }: { rows: RuntimeRow[] }): React.ReactElement | null {
  const { trans } = useRuntimes();
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
