/**
 * Earlier versions of a file that steers the agent: the list, one compared with the saved text, and *Restore*.
 */
import * as React from 'react';

import type { FileVersion, FileVersionText } from '../../../api/types';
import { lineDiff } from '../../../shared/lineDiff';
import { size } from '../../../shared/size';
import { fullTime, when } from '../../../shared/time';
import { visible } from '../../../shared/untrusted';
import { DiffLines } from '../../../shared/views/DiffLines';
import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import type { EditedText } from '../../stores/editedText';
import type { FileVersions } from '../../stores/page/fileVersions';
import type { SteeringFile } from '../../stores/page/steeringFiles';
import { isFocusLost, MayButton, Nothing, Refused } from '../parts';
import { usePage } from './services';

/** `whyNot`: why the person may not restore one. */
export function EarlierVersions(props: {
  file: SteeringFile;
  whyNot: string | null;
}): React.ReactElement {
  const { page, trans } = usePage();
  const text = page.steeringFile(props.file);
  const versions = page.versions(props.file);
  useChanges(versions.changed, text.changed);
  const [isOpen, open] = React.useState(false);
  const { etag } = text;
  const { chosen } = versions;
  const summary = React.useRef<HTMLElement>(null);
  React.useEffect(() => {
    if (isOpen && chosen === null && isFocusLost()) {
      summary.current?.focus(); // the buttons of the comparison are gone
    }
  }, [chosen]);
  React.useEffect(() => {
    if (isOpen) {
      void versions.load();
    }
  }, [isOpen, versions, etag]);
  return (
    <details
      className="jp-Cabinet-page-versions"
      onToggle={({ currentTarget }) => open(currentTarget.open)}
    >
      <summary ref={summary}>{trans.__('Earlier versions')}</summary>
      {isOpen && (
        <>
          <Refused text={versions.problem} />
          {chosen ? (
            <Comparison version={chosen} versions={versions} text={text} whyNot={props.whyNot} />
          ) : (
            <Versions versions={versions} />
          )}
        </>
      )}
    </details>
  );
}

function Versions({ versions }: { versions: FileVersions }): React.ReactElement {
  const { trans } = usePage();
  const { items } = versions;
  return items?.length === 0 ? (
    <Nothing>{trans.__('No versions yet. Each save creates one.')}</Nothing>
  ) : (
    <ul className="jp-Cabinet-plain-list" aria-label={trans.__('Earlier versions')}>
      {items?.map(version => (
        <li key={version.id}>
          <button
            type="button"
            className="jp-Cabinet-page-row"
            onClick={() => void versions.choose(version.id)}
          >
            <span className="jp-Cabinet-page-row-title">
              <Title version={version} />
            </span>
            {versions.isSaved(version) && (
              <span className="jp-Cabinet-quiet">{trans.__('Same as now')}</span>
            )}
            <span className="jp-Cabinet-page-figure">{size(version.size)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** When it was written, and by whom. */
function Title({ version }: { version: FileVersion }): React.ReactElement {
  const { trans } = usePage();
  const time = when(version.saved, new Date(), trans);
  return (
    <span title={fullTime(version.saved)}>
      {version.by
        ? trans.__('%1, saved by %2', time, visible(version.by))
        : version.from_template
          ? trans.__('%1, from the template', time)
          : trans.__('%1, author unknown', time)}
    </span>
  );
}

function Comparison(props: {
  version: FileVersionText;
  versions: FileVersions;
  text: EditedText;
  whyNot: string | null;
}): React.ReactElement {
  const { text, version, versions, whyNot } = props;
  const { trans } = usePage();
  const saved = text.saved ?? '';
  const lines = React.useMemo(() => lineDiff(version.text, saved), [version, saved]);
  const isSame = version.text === saved;
  const group = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => group.current?.focus(), [version]); // the row that was chosen is gone
  return (
    <div
      ref={group}
      tabIndex={-1}
      role="group"
      aria-label={trans.__('Comparison with an earlier version')}
    >
      <div className="jp-Cabinet-page-bar">
        <Button label={trans.__('All versions')} onClick={() => versions.close()} />
        <MayButton
          label={trans.__('Restore')}
          whyNot={whyNot ?? whyNotNow(text, trans.__('Save or discard your changes first.'))}
          busy={text.isBusy}
          disabled={isSame}
          onClick={() => void versions.restore()}
        />
        <Title version={version} />
      </div>
      {isSame ? (
        <Nothing>{trans.__('This version is the same as the saved text.')}</Nothing>
      ) : (
        <>
          <p className="jp-Cabinet-page-text jp-Cabinet-quiet">
            {trans.__(
              'Lines with − are only in this earlier version. Lines with + are only in the saved text.'
            )}
          </p>
          <DiffLines lines={lines} label={trans.__('Changes since this version')} />
        </>
      )}
    </div>
  );
}

function whyNotNow({ isDirty, theirs }: EditedText, reason: string): string | null {
  return isDirty || theirs !== null ? reason : null;
}
