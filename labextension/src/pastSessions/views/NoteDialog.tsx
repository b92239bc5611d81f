/**
 * The note of a person on one entry of a timeline.
 */
import * as React from 'react';

import type { EntryMark } from '../../api/types';
import { Button } from '../../shared/views/components';
import { FormDialog, FormField } from '../../shared/views/FormDialog';
import type { TimelineStore } from '../stores/timeline';
import { usePastSessions } from './services';

export function NoteDialog(props: {
  timeline: TimelineStore;
  mark: EntryMark;
  onClose: () => void;
}): React.ReactElement {
  const { mark, onClose, timeline } = props;
  const { connection, trans } = usePastSessions();
  const [note, setNote] = React.useState(mark.note);
  const save = (text: string) => {
    void timeline.marks.write(mark, text);
    onClose();
  };
  return (
    <FormDialog
      label={trans.__('Note on an entry')}
      refusal={null}
      onClose={onClose}
      onEnter={() => save(note)}
      buttons={
        <>
          {mark.note && (
            <Button
              label={trans.__('Remove the note')}
              disabled={!connection.online}
              onClick={() => save('')}
            />
          )}
          <Button label={trans.__('Cancel')} onClick={onClose} />
          <Button
            filled
            label={trans.__('Save')}
            disabled={!connection.online}
            onClick={() => save(note)}
          />
        </>
      }
    >
      <div className="jp-Cabinet-form-fields">
        <FormField label={trans.__('Note')} wrong={null}>
          {given => (
            <textarea
              {...given}
              autoFocus
              rows={6}
              value={note}
              onChange={event => setNote(event.target.value)}
            />
          )}
        </FormField>
      </div>
    </FormDialog>
  );
}
