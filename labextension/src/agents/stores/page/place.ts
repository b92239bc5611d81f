/**
 * Where a person is on the page of an agent: the tab, and the run that is shown in the history.
 */
import { Store } from '../../../shared/store';

export const TABS = [
  'overview',
  'history',
  'memory',
  'files',
  'goals',
  'tasks',
  'inbox',
  'plays',
  'persona'
] as const;
export type TabId = (typeof TABS)[number];

export class Place extends Store {
  tab: TabId = 'overview';
  runId: string | null = null;

  go(tab: TabId, runId: string | null = null): void {
    this.tab = tab;
    this.runId = runId;
    this.tell();
  }

  /** As the arguments of a command say: `run` by itself means the history. Nothing of them stays where the person is. */
  follow({ run, tab }: { run?: unknown; tab?: unknown }): void {
    const runId = typeof run === 'string' && run ? run : null;
    const wanted = TABS.find(id => id === tab) ?? (runId && 'history');
    if (wanted) {
      this.go(wanted, runId);
    }
  }
}
