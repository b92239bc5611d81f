/**
 * In JupyterLab's settings: how much is kept of what runs have changed, and for how long.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Loading } from '../../shared/views/Loading';
import { useChanges } from '../../shared/views/hooks';
import { keptForLabel, keptLabel, type KeptStore } from '../stores/kept';

import '../../../style/shared.css';
import '../../../style/runtimes.css';

/** Its store lives as long as the page. */
export function makeKeptSection(store: KeptStore, trans: TranslationBundle): React.ComponentType {
  return function Section() {
    return <KeptSection store={store} trans={trans} />;
  };
}

function KeptSection(props: { store: KeptStore; trans: TranslationBundle }): React.ReactElement {
  const { store, trans } = props;
  useChanges(store.changed);
  React.useEffect(() => void store.load(), [store]);
  const { failed, kept } = store;
  return (
    <section className="jp-Cabinet-kept" aria-label={trans.__('Changes of runs')}>
      <header className="jp-Cabinet-runtimes-head">
        <h3>{trans.__('Changes of runs')}</h3>
      </header>
      {kept ? (
        <>
          <p>
            <meter
              min={0}
              max={kept.most}
              value={kept.size}
              aria-label={trans.__('Disk space used by the changes of runs')}
              aria-valuetext={keptLabel(kept, trans)}
            />{' '}
            {keptLabel(kept, trans)}
          </p>
          <p className="jp-Cabinet-quiet">{keptForLabel(kept, trans)}</p>
        </>
      ) : failed ? (
        <p className="jp-Cabinet-quiet">{trans.__('Could not read the disk usage.')}</p>
      ) : (
        <Loading label={trans.__('Reading the disk usage')} />
      )}
    </section>
  );
}
