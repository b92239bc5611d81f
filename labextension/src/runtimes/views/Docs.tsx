/**
 * The link to a runtime’s documentation.
 */
import { launchIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { RuntimeRow } from '../../api/types';
import { safeUrl, visible } from '../../shared/untrusted';
import { Icon } from '../../shared/views/components';
import { useRuntimes } from './services';

export function Docs({ row }: { row: RuntimeRow }): React.ReactElement | null {
  const { trans } = useRuntimes();
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
