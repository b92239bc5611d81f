/**
 * A text of the agent in an editor. Where somebody else has changed it meanwhile both texts stand side by side, and the
 * person chooses; nothing is lost before.
 */
import * as React from 'react';

import { Button, Icon, Strip } from '../../shared/views/components';
import { warningIcon } from '../../shared/icons';
import { useChanges } from '../../shared/views/hooks';
import { Untrusted } from '../../shared/views/Untrusted';
import type { EditedText } from '../stores/editedText';
import { showLine, type ILinePlace } from './showLine';
import { MayButton, Refused } from './parts';
import { useAgents } from './services';

/**
 * `whyNot`: why the person may read only. `version` changes whenever the text may have. `place`: a line to select and
 * show; another object shows it again.
 */
export function TextEditor(props: {
  text: EditedText;
  label: string;
  whyNot: string | null;
  version: unknown;
  place?: ILinePlace | null;
}): React.ReactElement {
  const { label, text, whyNot } = props;
  const { connection, trans } = useAgents();
  useChanges(text.changed, connection.changed);
  const { online } = connection;
  const mayWrite = React.useRef(whyNot === null);
  if (online) {
    mayWrite.current = whyNot === null; // a person may keep writing while the server is away
  }
  React.useEffect(() => void text.look(), [text, props.version, online]);
  const area = React.useRef<HTMLTextAreaElement>(null);
  const isRead = text.draft !== null;
  React.useEffect(() => {
    if (props.place && isRead) {
      showLine(area.current!, props.place.line);
    }
  }, [props.place, isRead]);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 's' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      if (whyNot === null) {
        void text.save();
      }
    }
  };
  return (
    <section className="jp-Cabinet-page-editor" aria-label={label} onKeyDown={onKeyDown}>
      <Refused text={text.problem} />
      {text.theirs && <Conflict text={text} />}
      <div className="jp-Cabinet-page-sides">
        <textarea
          ref={area}
          className="jp-Cabinet-page-area jp-Cabinet-code"
          aria-label={text.theirs ? trans.__('Your text') : label}
          spellCheck={false}
          readOnly={!mayWrite.current || text.draft === null}
          value={text.draft ?? ''}
          onChange={event => text.edit(event.target.value)}
        />
        {text.theirs && (
          <div
            className="jp-Cabinet-page-theirs jp-Cabinet-code"
            role="region"
            tabIndex={0}
            aria-label={trans.__('The current text')}
          >
            <Untrusted block text={text.theirs.text} />
          </div>
        )}
      </div>
      <div className="jp-Cabinet-page-bar">
        <MayButton
          filled
          label={trans.__('Save')}
          whyNot={whyNot}
          busy={text.isBusy}
          disabled={!text.isDirty || text.theirs !== null}
          onClick={() => void text.save()}
        />
        <Button
          label={trans.__('Discard changes')}
          disabled={!text.isDirty || text.theirs !== null}
          onClick={() => text.revert()}
        />
        <span className="jp-Cabinet-quiet" role="status">
          {text.isDirty ? trans.__('Not saved') : ''}
        </span>
      </div>
    </section>
  );
}

function Conflict({ text }: { text: EditedText }): React.ReactElement {
  const { trans } = useAgents();
  return (
    <Strip
      tone="warning"
      icon={<Icon icon={warningIcon} />}
      actions={
        <>
          <Button label={trans.__('Keep mine')} onClick={() => text.keepMine()} />
          <Button label={trans.__('Take theirs')} onClick={() => text.takeTheirs()} />
        </>
      }
    >
      {trans.__(
        'The file changed after you opened it, so nothing was saved. Your text is on the left, the current text on the right.'
      )}
    </Strip>
  );
}
