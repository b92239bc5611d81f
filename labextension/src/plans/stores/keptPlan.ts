/**
 * Which plan a person had open, across reloads of the page.
 */
import type { IStateDB } from '@jupyterlab/statedb';

import { KeptChoice } from '../../shared/keptChoice';
import type { PlansStore } from './planList';

/** `restores`: whether the page was reloaded. */
export function keptPlan(plans: PlansStore, db: IStateDB | null, restores: boolean): KeptChoice {
  const list = {
    store: plans,
    chosen: () => plans.open?.id ?? null,
    choose: (id: string) => plans.choose(id),
    exists: (id: string) => plans.routes.plan(id).then(() => true)
  };
  return new KeptChoice(list, 'plan', db, restores);
}
