/**
 * How much is kept of the changes of all runs, and how long, in words.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CabinetClient } from '../../api/client';
import type { KeptChanges } from '../../api/types';
import { Store } from '../../shared/store';

/** Read whenever it is shown. */
export class KeptStore extends Store {
  constructor(private readonly _client: Pick<CabinetClient, 'keptChanges'>) {
    super();
  }

  /** Null until it is known. */
  kept: KeptChanges | null = null;
  failed = false;

  async load(): Promise<void> {
    try {
      this.kept = await this._client.keptChanges();
      this.failed = false;
    } catch {
      this.failed = true;
    }
    this.tell();
  }
}

/** "212 MB of 2 GB, for 14 runs". */
export function keptLabel({ size, most, runs }: KeptChanges, trans: TranslationBundle): string {
  return trans._n(
    '%2 of %3, for %1 run',
    '%2 of %3, for %1 runs',
    runs,
    roundSize(size),
    roundSize(most)
  );
}

/** How long changes are kept, and what goes first. */
export function keptForLabel({ days, most }: KeptChanges, trans: TranslationBundle): string {
  return trans.__(
    'You can review and revert the changes of a run for %1. If all runs together need more than %2, the changes of the oldest runs are removed first. The list of changed files is kept.',
    days === 1 ? trans.__('one day') : trans.__('%1 days', days),
    roundSize(most)
  );
}

/** As the settings count: 1 GB is 1,000,000,000 bytes. */
export function roundSize(bytes: number): string {
  const [amount, unit] =
    bytes >= 1e9 ? [bytes / 1e9, 'GB'] : bytes >= 1e6 ? [bytes / 1e6, 'MB'] : [bytes / 1e3, 'kB'];
  return `${Number(amount.toFixed(amount < 10 ? 1 : 0))} ${unit}`;
}
