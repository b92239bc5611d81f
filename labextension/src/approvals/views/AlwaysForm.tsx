/**
 * Allows what is asked for, and from now on exactly the same without asking: it makes a rule.
 */
import * as React from 'react';

import { Button } from '../../shared/views/components';
import { useApprovals } from './services';

/** The longest that the server takes is 90 days. */
const DAYS = [1, 7, 30, 90] as const;

export function AlwaysForm(props: {
  off: boolean;
  onSend: (days: number) => void;
  onClose: () => void;
}): React.ReactElement {
  const { off, onClose, onSend } = props;
  const { trans } = useApprovals();
  const [days, setDays] = React.useState<number>(7);
  const field = React.useRef<HTMLSelectElement>(null);
  React.useEffect(() => field.current?.focus(), []);
  return (
    <form
      className="jp-Cabinet-always"
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.stopPropagation();
          onClose();
        }
      }}
      onSubmit={event => {
        event.preventDefault();
        if (!off) {
          onSend(days);
        }
      }}
    >
      <p className="jp-Cabinet-quiet">
        {trans.__(
          'Allowed now and without asking for as long as you choose: exactly this, for this agent, in this folder and below it. You find it in the approval rules, at the end of this panel.'
        )}
      </p>
      <select
        ref={field}
        className="jp-Cabinet-select"
        aria-label={trans.__('For how long')}
        value={days}
        onChange={event => setDays(Number(event.target.value))}
      >
        {DAYS.map(each => (
          <option key={each} value={each}>
            {trans._n('%1 day', '%1 days', each)}
          </option>
        ))}
      </select>
      <button
        type="submit"
        className="jp-Cabinet-button jp-mod-plain"
        aria-disabled={off || undefined}
      >
        {trans.__('Allow')}
      </button>
      <Button label={trans.__('Cancel')} onClick={onClose} />
    </form>
  );
}
