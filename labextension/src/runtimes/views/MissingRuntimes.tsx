/**
 * The agent CLIs that were not found, and the commands that install them.
 */
import * as React from 'react';
import type { RuntimeRow } from '../../api/types';
import { skipIcon } from '../../shared/icons';
import { visible } from '../../shared/untrusted';
import { Copy } from '../../shared/views/Copy';
import { Icon } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { useRuntimes } from './services';
import { Docs } from './Docs';

export function Missing({ rows }: { rows: RuntimeRow[] }): React.ReactElement | null {
  const { trans } = useRuntimes();
  return rows.length ? (
    <details className="jp-Cabinet-missing">
      <summary>
        {trans._n(
          'How to install %1 missing agent CLI',
          'How to install %1 missing agent CLIs',
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
  const { trans } = useRuntimes();
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
            bare
            trans={trans}
            text={row.install}
            label={trans.__('Copy the command for %1', visible(row.title))}
          />
        </div>
      )}
    </article>
  );
}
