/**
 * The files that a run has changed, each with its lines, and what was decided about it.
 */
import { checkIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ChangedFile, Changes, Run } from '../../api/types';
import { diffIcon } from '../../shared/icons';
import { Button } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { type IFocusTargets, useKeptFocus } from '../../shared/views/keptFocus';
import { Untrusted } from '../../shared/views/Untrusted';
import {
  besideLabel,
  certainFiles,
  countLabel,
  decisionLabel,
  fileNote,
  notComparedLabel,
  notComparedNames,
  nothingLabel
} from '../stores/labels';
import { Counts } from './Counts';
import { Diff } from './Diff';
import { Refusal } from './Refusal';
import { useChangesServices } from './services';

/** After a decision its button is gone; another one is there, which undoes it. */
const FOCUS: IFocusTargets = {
  parts: [
    ['.jp-Cabinet-diff-head', '.jp-Cabinet-change-actions > button'],
    ['.jp-Cabinet-changed-file', '.jp-Cabinet-change-actions > button']
  ],
  places: ['.jp-Cabinet-changes-head button', '.jp-Cabinet-changed-file-name']
};

export function ChangesPane({ run }: { run: Run }): React.ReactElement {
  const { changes, trans } = useChangesServices();
  const content = React.useRef<HTMLDivElement>(null);
  useKeptFocus(content, FOCUS);
  useChanges(changes.changed);
  React.useEffect(() => void changes.read(run), [changes, run]);
  const found = changes.of(run);
  return (
    <div ref={content} className="jp-Cabinet-changes">
      <Refusal run={run} />
      {found === undefined ? null : found === null ? (
        <p className="jp-Cabinet-quiet">{trans.__('The changes of this run were not kept.')}</p>
      ) : (
        <Found run={run} found={found} />
      )}
    </div>
  );
}

function Found({ run, found }: { run: Run; found: Changes }): React.ReactElement {
  const { changes, mayDecide, openReview, trans } = useChangesServices();
  const open = found.files.filter(({ decision }) => !decision);
  const certain = certainFiles({ files: open });
  const beside = besideLabel(found, trans);
  const busy = changes.isBusy(run);
  return (
    <>
      <div className="jp-Cabinet-changes-head">
        <strong>
          {found.state === 'working'
            ? trans.__('The changes appear when the run has ended')
            : found.partial && found.files.length === 0
              ? nothingLabel(found, trans)
              : countLabel(found.counts, trans)}
        </strong>
        <Counts counts={found.counts} trans={trans} />
        <span className="jp-Cabinet-spring" />
        {openReview && found.files.length > 0 && (
          <Button icon={diffIcon} label={trans.__('Open review')} onClick={() => openReview(run)} />
        )}
        {open.length > 0 && mayDecide(run) && (
          <>
            <Button
              icon={checkIcon}
              label={trans.__('Accept all')}
              busy={busy}
              onClick={() => void changes.decide(run, 'accept', pathsOf(open))}
            />
            {certain.length > 0 && (
              <Button
                icon={undoIcon}
                label={trans.__('Revert all')}
                busy={busy}
                onClick={() => void changes.decide(run, 'revert', pathsOf(certain))}
              />
            )}
          </>
        )}
      </div>
      {found.reason && <p className="jp-Cabinet-quiet">{found.reason}</p>}
      {found.late && (
        <p className="jp-Cabinet-quiet">
          {trans.__(
            'The server stopped during this run, so changes until its restart are included.'
          )}
        </p>
      )}
      {beside && <p className="jp-Cabinet-quiet">{beside}</p>}
      <ul className="jp-Cabinet-changed-files" aria-label={trans.__('Changed files')}>
        {found.files.map(file => (
          <FileRow key={file.path} run={run} file={file} open={found.files.length <= 3} />
        ))}
      </ul>
      <LeftOut found={found} />
    </>
  );
}

function pathsOf(files: ChangedFile[]): string[] {
  return files.map(({ path }) => path);
}

function FileRow(props: { run: Run; file: ChangedFile; open: boolean }): React.ReactElement {
  const { file, run } = props;
  const { changes, mayDecide, openDocument, trans } = useChangesServices();
  const [open, setOpen] = React.useState(props.open);
  const name = file.path.split('/').pop() ?? file.path;
  const decided = decisionLabel(file, trans);
  const note = fileNote(file, trans);
  const busy = changes.isBusy(run);
  const decide = (decision: 'accept' | 'revert' | 'undo') =>
    void changes.decide(run, decision, [file.path]);
  return (
    <li className="jp-Cabinet-changed-file" data-path={file.path}>
      <div className="jp-Cabinet-changed-file-head">
        <button
          type="button"
          className="jp-Cabinet-changed-file-name"
          aria-expanded={open}
          title={file.path}
          onClick={() => setOpen(!open)}
        >
          <span aria-hidden="true">{open ? '▾' : '▸'}</span>
          <Untrusted text={file.path} />
        </button>
        <Counts counts={file.counts} trans={trans} />
        {note && <span className="jp-Cabinet-quiet">{note}</span>}
        <span className="jp-Cabinet-spring" />
        {decided && <Untrusted className="jp-Cabinet-quiet" text={decided} />}
        <span className="jp-Cabinet-change-actions">
          {mayDecide(run) &&
            (file.decision ? (
              <Button
                label={trans.__('Undo')}
                title={trans.__('Undo the decision on %1', name)}
                busy={busy}
                onClick={() => decide('undo')}
              />
            ) : (
              <>
                <Button
                  bare
                  icon={checkIcon}
                  label={trans.__('Accept %1', name)}
                  busy={busy}
                  onClick={() => decide('accept')}
                />
                <Button
                  bare
                  icon={undoIcon}
                  label={trans.__('Revert %1', name)}
                  busy={busy}
                  onClick={() => decide('revert')}
                />
              </>
            ))}
          {file.kind !== 'deleted' && !file.folder && (
            <Button link label={trans.__('Open')} onClick={() => openDocument(file.path)} />
          )}
        </span>
      </div>
      {file.mixed && (
        <p className="jp-Cabinet-quiet">
          {trans.__('Somebody saved the same lines while the agent was working.')}
        </p>
      )}
      {file.uncertain && (
        <p className="jp-Cabinet-quiet">{trans.__('Changed while another run was active here.')}</p>
      )}
      {open && <Diff run={run} path={file.path} />}
    </li>
  );
}

function LeftOut({ found }: { found: Changes }): React.ReactElement | null {
  const { trans } = useChangesServices();
  const label = notComparedLabel(found, trans);
  return label ? (
    <p className="jp-Cabinet-quiet">
      {label} <Untrusted text={notComparedNames(found)} />
    </p>
  ) : null;
}
