/**
 * Lines that came and went.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ChangeCounts } from '../../api/types';
import { lineCounts } from '../stores/labels';

export function Counts({
  counts,
  trans
}: {
  counts: ChangeCounts;
  trans: TranslationBundle;
}): React.ReactElement {
  const { added, removed } = lineCounts(counts);
  return (
    <span className="jp-Cabinet-counts">
      {added && (
        <span className="jp-mod-added" title={trans.__('lines added')}>
          {added}
        </span>
      )}
      {removed && (
        <span className="jp-mod-removed" title={trans.__('lines removed')}>
          {removed}
        </span>
      )}
    </span>
  );
}
