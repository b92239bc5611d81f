/**
 * Allows what is asked for, and from now on exactly the same without asking: it makes a rule.
 */
import * as React from 'react';

import type { Approval } from '../../api/types';
import { Button } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { actionText, scopeText } from '../stores/ruleForm';
import { useApprovals } from './services';

/** The longest that the server takes is 90 days. */
const DAYS = [1, 7, 30, 90] as const;

export function AlwaysForm(props: {
  /** What is made, but for its end. */
  rules: Approval['always'];
  off: boolean;
  onSend: (days: number) => void;
  onClose: () => void;
}): React.ReactElement {
  const { off, onClose, onSend, rules } = props;
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
        {trans._n(
          'Allows it now and makes this rule, which you find in the approval rules:',
          'Allows it now and makes these rules, which you find in the approval rules:',
          rules.length
        )}
      </p>
      <ul className="jp-Cabinet-always-rules">
        {rules.map((rule, index) => (
          <li key={index}>
            <Untrusted className="jp-Cabinet-code" text={actionText(rule, trans)} />
            <Untrusted block className="jp-Cabinet-quiet" text={scopeText(rule, trans)} />
          </li>
        ))}
      </ul>
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
