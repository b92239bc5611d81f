/**
 * Where a person is on the page of an agent: the tab, the run that is shown in the history, and the file.
 */
import { Store } from '../../../shared/store';
import { PERSONA, STEERING_FILES, type SteeringFile } from './steeringFiles';

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
  file: SteeringFile = PERSONA;

  go(tab: TabId, runId: string | null = null): void {
    this.tab = tab;
    this.runId = runId;
    this.file = PERSONA;
    this.tell();
  }

  showFile(file: SteeringFile): void {
    this.file = file;
    this.tell();
  }

  /**
   * As the arguments of a command say: `run` by itself means the history, and `file` a file of the tab *Files*. Nothing
   * of them stays where the person is.
   */
  follow({ file, run, tab }: { file?: unknown; run?: unknown; tab?: unknown }): void {
    const runId = typeof run === 'string' && run ? run : null;
    const wanted = TABS.find(id => id === tab) ?? (runId && 'history');
    if (wanted) {
      this.go(wanted, runId);
      this.showFile(STEERING_FILES.find(name => name === file) ?? PERSONA);
    }
  }
}
