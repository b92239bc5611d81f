/**
 * The fields that grant power or steer, as they are and as last confirmed.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Difference as Row } from '../../api/types';
import { Untrusted } from '../../shared/views/Untrusted';

export function Difference(props: {
  rows: readonly Row[];
  trans: TranslationBundle;
}): React.ReactElement | null {
  const { rows, trans } = props;
  return rows.length === 0 ? null : (
    <table className="jp-Cabinet-page-table">
      <thead>
        <tr>
          <th scope="col">{trans.__('What')}</th>
          <th scope="col">{trans.__('Last confirmed')}</th>
          <th scope="col">{trans.__('Now')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ after, before, what }) => (
          <tr key={what}>
            <th scope="row">
              <Untrusted text={what} />
            </th>
            <td>
              <Untrusted text={before || '–'} />
            </td>
            <td>
              <Untrusted text={after || '–'} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
