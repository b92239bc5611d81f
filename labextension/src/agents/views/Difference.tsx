/**
 * The fields that grant power or steer, as they are and as last confirmed.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Difference as Row } from '../../api/types';
import { visible } from '../../shared/untrusted';
import { DiffLines } from '../../shared/views/DiffLines';
import { Untrusted } from '../../shared/views/Untrusted';
import { changedText } from '../stores/changedText';

import '../../../style/agents.css';

interface IDifferenceProps {
  rows: readonly Row[];
  trans: TranslationBundle;
}

/** Short values beside each other; of a long text the lines that have changed. */
export function Difference({ rows, trans }: IDifferenceProps): React.ReactElement | null {
  return rows.length === 0 ? null : (
    <table className="jp-Cabinet-difference">
      <thead>
        <tr>
          <th scope="col">{trans.__('What')}</th>
          <th scope="col">{trans.__('Last confirmed')}</th>
          <th scope="col">{trans.__('Now')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr key={row.what}>
            <th scope="row">
              <Untrusted text={row.what} />
            </th>
            <Values row={row} trans={trans} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Values({ row, trans }: { row: Row; trans: TranslationBundle }): React.ReactElement {
  const parts = changedText(row);
  if (parts === null) {
    return (
      <>
        <td>
          <Untrusted text={row.before || '–'} />
        </td>
        <td>
          <Untrusted text={row.after || '–'} />
        </td>
      </>
    );
  }
  return (
    <td colSpan={2}>
      {parts.map(({ lines, skipped }, index) => (
        <React.Fragment key={index}>
          {skipped > 0 && (
            <p className="jp-Cabinet-quiet">
              {trans._n('%1 unchanged line', '%1 unchanged lines', skipped)}
            </p>
          )}
          {lines.length > 0 && (
            <DiffLines
              lines={lines}
              label={trans.__('What has changed in %1', visible(row.what))}
              whole
            />
          )}
        </React.Fragment>
      ))}
    </td>
  );
}
