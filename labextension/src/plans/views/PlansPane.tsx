/**
 * The list of plans, the plan that is shown, and its step. In a narrow tab, one after the other.
 */
import * as React from 'react';

import { AllPaused } from '../../runs/views';
import { Button, Card, Tabs } from '../../shared/views/components';
import { useChanges } from '../../shared/views/hooks';
import { type IFocusTargets, useKeptFocus } from '../../shared/views/keptFocus';
import { OfflineStrip } from '../../shared/views/OfflineStrip';
import { Problem } from '../../shared/views/Problem';
import { Forms } from './Forms';
import { PlanList } from './PlanList';
import { PlanPage } from './PlanPage';
import { QueuePane } from './QueuePane';
import { usePlans } from './services';

const FOCUS: IFocusTargets = {
  parts: [
    ['.jp-Cabinet-plan-step', '.jp-Cabinet-plan-step-main'],
    ['.jp-Cabinet-plan-step-page', ''],
    ['.jp-Cabinet-pane-page', '']
  ],
  places: [
    ".jp-Cabinet-plan-step-main[tabindex='0']",
    ".jp-Cabinet-pane-row[tabindex='0']",
    '.jp-Cabinet-pane-page'
  ]
};

export function PlansPane(): React.ReactElement {
  const { connection, plans, runs, trans, workSwitch } = usePlans();
  useChanges(plans.changed, connection.changed);
  const { open, page, problem } = plans;
  const panelId = React.useId();
  const content = React.useRef<HTMLDivElement>(null);
  useKeptFocus(content, FOCUS);
  React.useEffect(() => {
    if (plans.items === null) {
      void plans.refresh();
    }
  }, [plans]);
  return (
    <>
      <div
        ref={content}
        className={`jp-Cabinet-pane jp-Cabinet-plans ${open ? 'jp-mod-open' : ''}`.trim()}
        tabIndex={-1}
        data-first-focus
      >
        <OfflineStrip connection={connection} trans={trans} isEmpty={plans.items === null} />
        <AllPaused connection={connection} runs={runs} workSwitch={workSwitch} trans={trans} />
        <Tabs
          label={trans.__('Pages')}
          tabs={[
            { id: 'plans', label: trans.__('Plans') },
            { id: 'queue', label: trans.__('Queue') }
          ]}
          current={page}
          panelId={panelId}
          onSelect={chosen => void plans.turnTo(chosen)}
        />
        {problem !== null && connection.status !== 'offline' && (
          <Problem
            trans={trans}
            text={problem}
            action={<Button label={trans.__('Reload')} onClick={() => void plans.refresh()} />}
          />
        )}
        <div id={panelId} role="tabpanel" className="jp-Cabinet-pane-part">
          {page === 'queue' ? (
            <QueuePane />
          ) : (
            <div className="jp-Cabinet-pane-columns">
              <PlanList />
              {open ? (
                <PlanPage key={open.id} store={open} />
              ) : (
                <section
                  className="jp-Cabinet-pane-page"
                  aria-label={trans.__('Plan')}
                  tabIndex={-1}
                >
                  {plans.items !== null && plans.items.length > 0 && (
                    <Card title={trans.__('No plan selected')}>
                      {trans.__('Select a plan to see its steps.')}
                    </Card>
                  )}
                </section>
              )}
            </div>
          )}
        </div>
      </div>
      <Forms />
    </>
  );
}
