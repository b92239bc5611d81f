/**
 * The files that steer the agent: what each does, and one of them to read, edit and compare with earlier versions.
 */
import * as React from 'react';

import type { AgentDetail } from '../../../api/types';
import { size } from '../../../shared/size';
import { Untrusted } from '../../../shared/views/Untrusted';
import { useChanges } from '../../../shared/views/hooks';
import {
  PROTOCOL_FILE,
  purposeOf,
  SHARED_FILES,
  SOUL,
  STEERING_FILES,
  whyNotShared,
  type SteeringFile
} from '../../stores/page/steeringFiles';
import type { EditedText } from '../../stores/editedText';
import { isFocusLost, MayButton, Refused } from '../parts';
import { TextEditor } from '../TextEditor';
import { EarlierVersions } from './EarlierVersions';
import { ProposedSoul } from './ProposedSoul';
import { usePage, useWhyNot } from './services';

export function Files({ agent }: { agent: AgentDetail }): React.ReactElement {
  const { page, place, trans } = usePage();
  const { drafts, files, proposals } = page;
  useChanges(files.changed, drafts.changed, proposals.changed, place.changed);
  const root = React.useRef<HTMLDivElement>(null);
  useFocusAfterDecision(root, proposals.waiting !== null, proposals.edited !== null);
  const chosen = place.file;
  return (
    <div ref={root} className="jp-Cabinet-page-split">
      <div className="jp-Cabinet-page-list">
        <Refused text={files.problem} />
        <ul className="jp-Cabinet-plain-list" aria-label={trans.__('Files that steer the agent')}>
          {STEERING_FILES.map(file => (
            <li key={file}>
              <button
                type="button"
                className="jp-Cabinet-page-row jp-mod-two"
                aria-current={file === chosen || undefined}
                onClick={() => place.showFile(file)}
              >
                <span className="jp-Cabinet-page-file">
                  <strong>{file}</strong>
                  <span className="jp-Cabinet-page-row-second">{purposeOf(file, trans)}</span>
                </span>
                <span className="jp-Cabinet-page-figure">
                  {file === SOUL && proposals.waiting !== null ? (
                    trans.__('Proposal')
                  ) : drafts.find(file)?.isDirty ? (
                    trans.__('Not saved')
                  ) : (
                    <State file={file} />
                  )}
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      <div className="jp-Cabinet-page-beside">
        <File key={chosen} file={chosen} agent={agent} />
      </div>
    </div>
  );
}

/** A decision about a proposal removes the button that had the focus. It moves to the row of the file. */
function useFocusAfterDecision(
  root: React.RefObject<HTMLElement>,
  waits: boolean,
  isEdited: boolean
): void {
  const before = React.useRef({ waits, isEdited });
  React.useEffect(() => {
    const isOver = (before.current.waits && !waits) || (before.current.isEdited && !isEdited);
    before.current = { waits, isEdited };
    if (isOver && isFocusLost()) {
      root.current?.querySelector<HTMLElement>('[aria-current=true]')?.focus();
    }
  }, [root, waits, isEdited]);
}

/** How large it is, or that it does not exist yet. */
function State({ file }: { file: SteeringFile }): React.ReactElement | null {
  const { page, trans } = usePage();
  const known = page.files.value?.find(({ path }) => path === file);
  if (known) {
    return <>{size(known.size)}</>;
  }
  return page.files.value === null || SHARED_FILES.includes(file) ? null : (
    <>{trans.__('Not created')}</>
  );
}

function File({ agent, file }: { agent: AgentDetail; file: SteeringFile }): React.ReactElement {
  const { connection, page, trans } = usePage();
  const owned = useWhyNot(agent);
  const whyNot = SHARED_FILES.includes(file) ? whyNotShared(connection, trans) : owned;
  const text = page.steeringFile(file);
  useChanges(text.changed);
  const known = page.files.value?.find(({ path }) => path === file);
  const isMissing = text.saved !== null && text.etag === '';
  return (
    <>
      {isMissing && (
        <p className="jp-Cabinet-page-text jp-Cabinet-quiet">
          {whyNot === null
            ? trans.__('%1 does not exist yet. Write its text and save it to create it.', file)
            : trans.__('%1 does not exist yet.', file)}
        </p>
      )}
      {whyNot !== null && connection.online && (
        <p className="jp-Cabinet-page-text jp-Cabinet-quiet">
          {trans.__('Read only.')} <Untrusted text={whyNot} />
        </p>
      )}
      {file === PROTOCOL_FILE && <Confirmation text={text} whyNot={whyNot} />}
      {file === SOUL && <ProposedSoul agent={agent} />}
      <TextEditor
        text={text}
        label={file}
        whyNot={whyNot}
        version={known ? `${known.modified} ${known.size}` : agent.etag}
      />
      <EarlierVersions file={file} whyNot={whyNot} />
    </>
  );
}

/** That nobody has confirmed the rules of the team as they are, and the way to do it. A save confirms them, too. */
function Confirmation(props: {
  text: EditedText;
  whyNot: string | null;
}): React.ReactElement | null {
  const { page, trans } = usePage();
  const { text, whyNot } = props;
  if (page.isProtocolConfirmed !== false) {
    return null;
  }
  const isChanged = text.isDirty || text.theirs !== null;
  return (
    <div className="jp-Cabinet-page-text" role="status">
      <p>
        {trans.__(
          'Agents do not receive this text, because nobody has confirmed it as it is now. Read it, then confirm it.'
        )}
      </p>
      <MayButton
        label={trans.__('Confirm')}
        whyNot={whyNot ?? (isChanged ? trans.__('Save or discard your changes first.') : null)}
        busy={text.isBusy}
        onClick={() => void text.save()}
      />
    </div>
  );
}
