import { StateDB } from '@jupyterlab/statedb';

import { fakeEvents, fakeServer } from '../../testing/fakes';
import { aPlan } from '../../testing/samples';
import { keptPlan } from './keptPlan';
import { PlansStore } from './planList';

function open(db: StateDB | null, restores = true) {
  const { client } = fakeServer({ 'GET plans/plan-1': aPlan([]), 'GET plans/plan-2': aPlan([]) });
  const plans = new PlansStore(client, fakeEvents(client).events);
  return { kept: keptPlan(plans, db, restores), plans };
}

async function chosen(db: StateDB, id: string): Promise<void> {
  const { kept, plans } = open(db);
  await kept.load('ada');
  plans.choose(id);
  kept.dispose();
}

describe('keptPlan', () => {
  it('opens the plan of a person again after a reload, and nothing of another one', async () => {
    const db = new StateDB();
    await chosen(db, 'plan-1');
    const again = open(db);
    await again.kept.load('ada');
    expect(again.plans.open?.id).toBe('plan-1');
    const other = open(db);
    await other.kept.load('ben');
    expect(other.plans.open).toBeNull();
    const tab = open(db, false);
    await tab.kept.load('ada');
    expect(tab.plans.open).toBeNull();
  });

  it('opens neither a plan that is gone nor one that is not wanted any more', async () => {
    const db = new StateDB();
    await chosen(db, 'gone');
    const gone = open(db);
    await gone.kept.load('ada');
    expect(gone.plans.open).toBeNull();
    await chosen(db, 'plan-1');
    const faster = open(db);
    const loaded = faster.kept.load('ada');
    faster.plans.choose('plan-2');
    await loaded;
    expect(faster.plans.open?.id).toBe('plan-2');
  });

  it('works without a database', async () => {
    const { kept, plans } = open(null);
    await kept.load('ada');
    plans.choose('plan-1');
    expect(plans.open?.id).toBe('plan-1');
    kept.dispose();
  });
});
