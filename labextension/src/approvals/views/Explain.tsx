/**
 * Tries the rules: what they would say to a command, without anything being done.
 */
import * as React from 'react';

import { Button } from '../../shared/views/components';
import { Untrusted } from '../../shared/views/Untrusted';
import { effectText } from '../stores/ruleForm';
import type { RuleStore } from '../stores/rules';
import { useApprovals } from './services';

export function Explain({ rules }: { rules: RuleStore }): React.ReactElement {
  const { trans } = useApprovals();
  const [text, setText] = React.useState('');
  const { decision } = rules;
  const id = React.useId();
  const ask = () => rules.try(text);
  return (
    <form
      className="jp-Cabinet-rule-try"
      onSubmit={event => {
        event.preventDefault();
        void ask();
      }}
    >
      <label htmlFor={id}>{trans.__('What would happen to this command?')}</label>
      <div className="jp-Cabinet-rule-try-row">
        <input
          id={id}
          type="text"
          value={text}
          placeholder={trans.__('for example: git status && rm -rf build')}
          onChange={event => {
            setText(event.target.value);
            rules.forgetDecision();
          }}
        />
        <Button label={trans.__('Try')} disabled={!text.trim()} onClick={() => void ask()} />
      </div>
      <p role="status" className="jp-Cabinet-rule-decision">
        {decision !== null && typeof decision !== 'string' && (
          <strong className={`jp-Cabinet-rule-effect jp-mod-${decision.effect}`}>
            {effectText(decision.effect, trans)}
          </strong>
        )}{' '}
        {decision !== null && (
          <Untrusted text={typeof decision === 'string' ? decision : decision.because} />
        )}
      </p>
    </form>
  );
}
