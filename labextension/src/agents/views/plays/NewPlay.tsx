/**
 * A play that is not there yet. What was written stays until it is made, or given up. Escape closes the form and keeps it.
 */
import { addIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../../../shared/views/components';
import { useChanges } from '../../../shared/views/hooks';
import { MayButton, Refused, Section } from '../parts';
import { Labelled, Text } from './controls';
import { PlayFields } from './PlayFields';
import { usePlays, useRights } from './services';

export function NewPlay(props: {
  onMade: (slug: string) => void;
  onClose: () => void;
  onCancel: () => void;
}): React.ReactElement {
  const { onCancel, onClose, onMade } = props;
  const { agents, connection, plays, trans } = usePlays();
  const { change } = useRights(null);
  const place = React.useRef<HTMLFormElement>(null);
  const { form } = plays!.newPlay();
  useChanges(form.changed);
  React.useEffect(() => {
    const offer = () => form.offer(plays!.likelyAgent(agents.rows ?? [], connection));
    offer();
    agents.changed.connect(offer);
    return () => void agents.changed.disconnect(offer);
  }, [agents, connection, form, plays]);
  React.useEffect(() => place.current!.querySelector('input')!.focus(), []);
  const create = async () => {
    const made = await form.create();
    if (made) {
      onMade(made.slug);
    } else {
      place.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    }
  };
  return (
    <Section title={trans.__('New play')}>
      <form
        ref={place}
        className="jp-Cabinet-page-fields"
        aria-label={trans.__('New play')}
        onKeyDown={event => {
          if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
            event.preventDefault();
            onClose();
          }
        }}
        onSubmit={event => {
          event.preventDefault();
          if (change === null) {
            void create();
          }
        }}
      >
        <PlayFields form={form} whyNot={change}>
          <Text
            form={form}
            whyNot={change}
            field="slug"
            label={trans.__('File name')}
            value={form.slug}
            onWrite={slug => form.name(slug)}
          />
          <Labelled form={form} field="body" label={trans.__('Instruction')}>
            {given => (
              <textarea
                {...given}
                className="jp-Cabinet-page-area"
                rows={8}
                value={form.body}
                readOnly={change !== null}
                placeholder={trans.__(
                  'Describe what the agent should do. Write {{name}} where the play should ask for a value.'
                )}
                onChange={event => form.instruct(event.target.value)}
              />
            )}
          </Labelled>
        </PlayFields>
        <Refused text={form.refusal} />
        <div className="jp-Cabinet-page-bar">
          <MayButton
            filled
            icon={addIcon}
            label={trans.__('Create play')}
            whyNot={change}
            busy={form.isBusy}
            onClick={() => void create()}
          />
          <Button label={trans.__('Cancel')} onClick={onCancel} />
        </div>
        <input type="submit" hidden />
      </form>
    </Section>
  );
}
