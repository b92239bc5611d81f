/**
 * Which pages of this browser are open. Each holds a lock, which ends with the page, also when that crashes.
 */
import { UUID } from '@lumino/coreutils';

const PREFIX = 'jupyter-cabinet:page:';

export class LivePages {
  /** `locks`: undefined in pages that are served without TLS by another machine. */
  constructor(private readonly _locks: LockManager | undefined = navigator.locks) {
    if (_locks) {
      this.own = UUID.uuid4();
      const forever = () => new Promise<never>(() => undefined);
      void _locks.request(PREFIX + this.own, forever).catch(() => undefined);
    }
  }

  /** Names this page; empty if the browser cannot tell whether it is open. */
  readonly own: string = '';

  async open(): Promise<ReadonlySet<string>> {
    const held = (await this._locks?.query().catch(() => null))?.held ?? [];
    return new Set(held.map(({ name = '' }) => name.replace(PREFIX, '')));
  }
}
