/**
 * What a person can do about a run that wrote to the former path of a document that was renamed meanwhile.
 */
import * as React from 'react';

import type { Run } from '../../api/types';
import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { visible } from '../../shared/untrusted';
import { writtenFormerPath } from '../stores/labels';
import { useChangesServices } from './services';

/** Buttons that show what the run wrote there; none if it did not change the file. */
export function FormerFile(props: {
  run: Run;
  path: string | null;
  onChanges: () => void;
}): React.ReactElement | null {
  const { path, run } = props;
  const { changes, openDocument, trans } = useChangesServices();
  useChanges(changes.changed);
  const isPossible = path !== null && path !== run.path && !!run.changed?.files;
  React.useEffect(() => void (isPossible && changes.read(run)), [changes, isPossible, run]);
  const former = isPossible ? writtenFormerPath(run, path, changes.of(run)) : null;
  if (former === null) {
    return null;
  }
  return (
    <div className="jp-Cabinet-former-file">
      <Button label={trans.__('Show changes')} onClick={props.onChanges} />
      <Button
        label={trans.__('Open %1', visible(former.split('/').pop()!))}
        title={visible(former)}
        onClick={() => openDocument(former)}
      />
    </div>
  );
}
