/**
 * All approval rules: listed, tried, added, edited and removed. The content of a tab.
 */
import { addIcon, closeIcon, editIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { ApprovalRule } from '../../api/types';
import { errorDiscIcon } from '../../shared/icons';
import { approvalIcon } from '../../shared/icons/start';
import { fullTime } from '../../shared/time';
import { Button, Card, Icon, Strip } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { Loading } from '../../shared/views/Loading';
import { OfflineStrip } from '../../shared/views/OfflineStrip';
import { Untrusted } from '../../shared/views/Untrusted';
import { actionText, effectText, scopeText } from '../stores/ruleForm';
import type { RuleStore } from '../stores/rules';
import { Explain } from './Explain';
import { RuleForm } from './RuleForm';
import { useApprovals } from './services';

/** Which rule is being edited: its id, or a new one. */
type Edited = string | 'new' | null;

export function RulesPane({ rules }: { rules: RuleStore }): React.ReactElement {
  const { connection, trans } = useApprovals();
  useChanges(rules.changed, connection.changed);
  const [edited, edit] = React.useState<Edited>(null);
  const pane = React.useRef<HTMLDivElement>(null);
  // What had the focus is gone with the form, or with the rule.
  const focusPane = () => pane.current?.focus();
  const onEdit = (next: Edited) => {
    edit(next);
    if (next === null) {
      focusPane();
    }
  };
  const isOffline = connection.status === 'offline';
  React.useEffect(() => {
    if (!isOffline) {
      void rules.load();
    }
  }, [isOffline, rules]);
  const may = connection.mayRun && connection.online;
  return (
    <div ref={pane} className="jp-Cabinet-rules" tabIndex={-1} data-first-focus>
      <header className="jp-Cabinet-rules-head">
        <h2>{trans.__('Approval rules')}</h2>
        <span className="jp-Cabinet-spring" />
        {may && (
          <Button
            icon={addIcon}
            filled
            label={trans.__('New rule')}
            disabled={rules.list === null}
            onClick={() => edit('new')}
          />
        )}
      </header>
      <p className="jp-Cabinet-quiet">
        {trans.__(
          'The matching rule allows or denies what an agent asks for. Deny takes precedence over ask, and ask over allow. If no rule matches, you are asked. Rules apply to what a CLI asks for, not to what it does without asking.'
        )}
      </p>
      <OfflineStrip connection={connection} trans={trans} />
      <Problem rules={rules} />
      {rules.removed && (
        <Strip
          actions={
            <Button
              icon={undoIcon}
              label={trans.__('Undo')}
              onClick={() => void rules.putBack().then(focusPane)}
            />
          }
        >
          <Untrusted text={trans.__('Removed: %1', actionText(rules.removed, trans))} />
        </Strip>
      )}
      {edited === 'new' && <RuleForm rules={rules} rule={null} onClose={() => onEdit(null)} />}
      {rules.list === null ? (
        !rules.problem && !isOffline && <Loading label={trans.__('Loading rules')} />
      ) : (
        <List rules={rules} may={may} edited={edited} onEdit={onEdit} onRemoved={focusPane} />
      )}
      <Explain rules={rules} />
    </div>
  );
}

function Problem({ rules }: { rules: RuleStore }): React.ReactElement | null {
  const { trans } = useApprovals();
  return rules.problem ? (
    <Strip
      tone="warning"
      icon={<Icon icon={errorDiscIcon} />}
      actions={<Button label={trans.__('Reload')} onClick={() => void rules.load()} />}
    >
      <span role="status">
        <Untrusted text={rules.problem} />
      </span>
    </Strip>
  ) : null;
}

function List(props: {
  rules: RuleStore;
  may: boolean;
  edited: Edited;
  onEdit: (edited: Edited) => void;
  onRemoved: () => void;
}): React.ReactElement {
  const { edited, may, onEdit, onRemoved, rules } = props;
  const { trans } = useApprovals();
  if (rules.rules.length === 0) {
    return (
      <Card icon={<Icon icon={approvalIcon} />} title={trans.__('There are no rules yet')}>
        {trans.__(
          'Agents in the mode “Ask first” ask for everything. Make a rule here, or choose “Allow from now on” when one asks to run a command.'
        )}
      </Card>
    );
  }
  return (
    <ul className="jp-Cabinet-rule-list" aria-label={trans.__('Approval rules')}>
      {rules.rules.map(rule =>
        edited === rule.id ? (
          <li key={rule.id}>
            <RuleForm rules={rules} rule={rule} onClose={() => onEdit(null)} />
          </li>
        ) : (
          <Row
            key={rule.id}
            rules={rules}
            rule={rule}
            may={may && rules.mayChange(rule)}
            onEdit={() => onEdit(rule.id)}
            onRemoved={onRemoved}
          />
        )
      )}
    </ul>
  );
}

function Row(props: {
  rules: RuleStore;
  rule: ApprovalRule;
  may: boolean;
  onEdit: () => void;
  onRemoved: () => void;
}): React.ReactElement {
  const { may, onEdit, onRemoved, rule, rules } = props;
  const { trans } = useApprovals();
  const action = actionText(rule, trans);
  return (
    <li className="jp-Cabinet-ruled">
      <span className={`jp-Cabinet-rule-effect jp-mod-${rule.effect}`}>
        {effectText(rule.effect, trans)}
      </span>
      <span className="jp-Cabinet-rule-text">
        <Untrusted className="jp-Cabinet-rule-action" text={action} />
        <Untrusted className="jp-Cabinet-quiet" text={facts(rule, trans)} />
        {rule.note && <Untrusted className="jp-Cabinet-quiet" text={`“${rule.note}”`} />}
      </span>
      {may && (
        <>
          <Button bare icon={editIcon} label={trans.__('Edit %1', action)} onClick={onEdit} />
          <Button
            bare
            icon={closeIcon}
            label={trans.__('Remove %1', action)}
            busy={rules.saving}
            onClick={() => void rules.remove(rule).then(onRemoved)}
          />
        </>
      )}
    </li>
  );
}

/** "every agent, everywhere · until 1 Dec 2026, 10:00 · by Ada Lind, for their own runs" */
function facts(rule: ApprovalRule, trans: ReturnType<typeof useApprovals>['trans']): string {
  const until =
    rule.expires_at === null
      ? ''
      : Date.parse(rule.expires_at) < Date.now()
        ? trans.__('ended %1', fullTime(rule.expires_at))
        : trans.__('until %1', fullTime(rule.expires_at));
  const by = trans.__('by %1', rule.made_by.display_name);
  const whose = rule.for_everyone ? '' : trans.__('for their own runs');
  return [scopeText(rule, trans), until, by, whose].filter(Boolean).join(' · ');
}
