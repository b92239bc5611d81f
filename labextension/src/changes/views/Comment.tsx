/**
 * A comment on a change. It becomes the next instruction of the run’s session, with the change’s place.
 * The review stays where it is.
 */
import * as React from 'react';

import { Button } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { type DiffPart, type ReviewStore } from '../stores/review';
import { instructionOf } from '../stores/sides';
import { useReviewServices } from './services';

export function Comment(props: {
  review: ReviewStore;
  part: DiffPart;
  onClose: () => void;
  onSent: () => void;
}): React.ReactElement {
  const { onClose, onSent, part, review } = props;
  const { instruct, trans } = useReviewServices();
  const [text, setText] = React.useState('');
  const [sending, setSending] = React.useState(false);
  const [refusal, setRefusal] = React.useState('');
  const field = React.useRef<HTMLTextAreaElement>(null);
  React.useEffect(() => field.current?.focus(), []);
  const send = async () => {
    if (sending || !text.trim()) {
      return;
    }
    setSending(true);
    setRefusal('');
    try {
      if (await instruct(review.run, instructionOf(review.path ?? '', part, text))) {
        onSent();
        return;
      }
      setRefusal(trans.__('The document was not saved.'));
    } catch (reason) {
      setRefusal(reason instanceof Error ? reason.message : String(reason));
    }
    setSending(false);
  };
  return (
    <div className="jp-Cabinet-review-comment">
      <textarea
        ref={field}
        className="jp-Cabinet-input"
        aria-label={trans.__('Comment')}
        placeholder={trans.__('What should be different here?')}
        rows={3}
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Escape' && !text.trim()) {
            onClose();
          } else if (event.key === 'Enter' && (event.shiftKey || event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            void send();
          }
        }}
      />
      {refusal && (
        <p className="jp-Cabinet-quiet" role="alert">
          {trans.__('The comment was not sent.')} <Untrusted text={refusal} />
        </p>
      )}
      <div className="jp-Cabinet-review-comment-actions">
        <Button
          filled
          label={trans.__('Send as next instruction')}
          title={trans.__('Send as next instruction (Shift+Enter)')}
          disabled={!text.trim()}
          busy={sending}
          onClick={() => void send()}
        />
        <Button label={trans.__('Cancel')} onClick={onClose} />
      </div>
    </div>
  );
}
