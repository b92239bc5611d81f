/**
 * A name and a note of a person's own for a session.
 */
import * as React from 'react';

import { Button } from '../../shared/views/components';
import { FormDialog, FormField } from '../../shared/views/FormDialog';
import type { TimelineStore } from '../stores/timeline';
import { usePastSessions } from './services';

export function DetailsDialog(props: {
  timeline: TimelineStore;
  onClose: () => void;
}): React.ReactElement {
  const { onClose, timeline } = props;
  const { connection, sessions, trans } = usePastSessions();
  const { marks, title } = timeline.session;
  const [alias, setAlias] = React.useState(marks.alias);
  const [note, setNote] = React.useState(marks.note);
  const save = () => {
    void sessions.mark(timeline.session, { alias: alias.trim(), note: note.trim() });
    onClose();
  };
  return (
    <FormDialog
      label={trans.__('Name and note')}
      refusal={null}
      onClose={onClose}
      onEnter={save}
      buttons={
        <>
          <Button label={trans.__('Cancel')} onClick={onClose} />
          <Button filled label={trans.__('Save')} disabled={!connection.online} onClick={save} />
        </>
      }
    >
      <div className="jp-Cabinet-form-fields">
        <FormField
          label={trans.__('Name')}
          wrong={null}
          hint={trans.__('If empty, the title of the session.')}
        >
          {given => (
            <input
              {...given}
              autoFocus
              type="text"
              autoComplete="off"
              placeholder={title}
              value={alias}
              onChange={event => setAlias(event.target.value)}
            />
          )}
        </FormField>
        <FormField label={trans.__('Note')} wrong={null}>
          {given => (
            <textarea
              {...given}
              rows={4}
              value={note}
              onChange={event => setNote(event.target.value)}
            />
          )}
        </FormField>
      </div>
    </FormDialog>
  );
}
