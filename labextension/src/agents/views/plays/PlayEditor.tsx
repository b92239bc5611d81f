/**
 * A play that a person changes: its usual fields as a form, and its whole file beside it.
 */
import { Dialog, showDialog } from '@jupyterlab/apputils';
import * as React from 'react';

import type { PlayDetail } from '../../../api/types';
import { visible } from '../../../shared/untrusted';
import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { EditedPlay } from '../../stores/plays/form';
import { deletionWords } from '../../stores/plays/words';
import { useAsking, useResource } from '../hooks';
import { isFocusLost, MayButton, Refused, Section } from '../parts';
import { TextEditor } from '../TextEditor';
import { PlayFields } from './PlayFields';
import { usePlays, useRights } from './services';

export function PlayEditor(props: { slug: string; onDone: () => void }): React.ReactElement {
  const { playbook, plays, trans } = usePlays();
  const reading = useResource(() => playbook.one(props.slug), props.slug);
  React.useEffect(() => void reading.load(), [reading]);
  return (
    <>
      <Refused text={reading.problem} />
      {reading.value && plays?.canRenew(props.slug) && (
        <Button
          label={trans.__('Save as a new play…')}
          onClick={() => plays.renew(reading.value!.play)}
        />
      )}
      {reading.value ? (
        <Known play={reading.value.play} onDone={props.onDone} />
      ) : (
        reading.problem !== null && <Button label={trans.__('Done')} onClick={props.onDone} />
      )}
    </>
  );
}

function Known({ onDone, play }: { play: PlayDetail; onDone: () => void }): React.ReactElement {
  const { plays, trans } = usePlays();
  const { change } = useRights(play);
  const { form, text } = plays!.edited(play);
  const place = React.useRef<HTMLFormElement>(null);
  React.useEffect(() => form.look(play), [form, play]);
  React.useEffect(() => {
    const isHere = place.current!.closest('.jp-Cabinet-plays')?.contains(document.activeElement);
    if (isHere || isFocusLost()) {
      place.current!.querySelector('input')?.focus();
    }
  }, []);
  useChanges(form.changed);
  return (
    <Section
      title={visible(play.title || play.name)}
      note={`${play.slug}.md`}
      actions={
        <>
          <Remove
            play={play}
            whyNot={change}
            onRemoved={() => {
              plays!.forget(play.slug);
              onDone();
            }}
          />
          <Button label={trans.__('Done')} onClick={onDone} />
        </>
      }
    >
      <div className="jp-Cabinet-page-split jp-mod-even jp-Cabinet-play-editor">
        <form
          ref={place}
          className="jp-Cabinet-page-fields"
          aria-label={trans.__('Fields of the play')}
          onSubmit={event => {
            event.preventDefault();
            if (change === null) {
              void form.save();
            }
          }}
        >
          {play.errors.map(({ message }) => (
            <Refused key={message} text={message} />
          ))}
          <PlayFields form={form} whyNot={change} />
          <Refused text={form.refusal} />
          <Saving form={form} whyNot={change} />
          <input type="submit" hidden />
        </form>
        <TextEditor text={text} label={`${play.slug}.md`} whyNot={change} version={play.etag} />
      </div>
    </Section>
  );
}

function Saving(props: { form: EditedPlay; whyNot: string | null }): React.ReactElement {
  const { form, whyNot } = props;
  const { trans } = usePlays();
  if (form.isConflict) {
    return (
      <>
        <p role="alert" className="jp-Cabinet-page-refused">
          {trans.__(
            'The play changed after you opened it, so nothing was saved. The current file is shown next to your text.'
          )}
        </p>
        <div className="jp-Cabinet-page-bar">
          <Button label={trans.__('Keep mine')} onClick={() => form.keepMine()} />
          <Button label={trans.__('Take theirs')} onClick={() => form.takeTheirs()} />
        </div>
      </>
    );
  }
  return (
    <div className="jp-Cabinet-page-bar">
      <MayButton
        filled
        label={trans.__('Save fields')}
        whyNot={whyNot}
        busy={form.isBusy}
        disabled={!form.isDirty}
        onClick={() => void form.save()}
      />
      <Button
        label={trans.__('Discard changes')}
        disabled={!form.isDirty}
        onClick={() => form.takeTheirs()}
      />
    </div>
  );
}

function Remove(props: {
  play: PlayDetail;
  whyNot: string | null;
  onRemoved: () => void;
}): React.ReactElement {
  const { onRemoved, play, whyNot } = props;
  const { playbook, plays, trans } = usePlays();
  const { ask, isBusy, refusal } = useAsking();
  const remove = async () => {
    const { button } = await showDialog({
      ...deletionWords(play, plays?.plays ?? [], trans),
      buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__('Delete') })],
      defaultButton: 0
    });
    if (button.accept && (await ask(() => playbook.remove(play.slug)))) {
      onRemoved();
    }
  };
  return (
    <>
      <Refused text={refusal} />
      <MayButton
        label={trans.__('Delete…')}
        whyNot={whyNot}
        busy={isBusy}
        onClick={() => void remove()}
      />
    </>
  );
}
