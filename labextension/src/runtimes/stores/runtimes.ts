/**
 * Which agent CLIs the server has found, and which of them a person can choose.
 */
import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { PermissionMode, RuntimeRow } from '../../api/types';
import { Store } from '../../shared/store';

/** The runtime that needs no key: offered, never counted as a found CLI. */
export const DEMO = 'demo';

/** Begins the name of a runtime that is another way to a product: `acp-claude` beside `claude`. */
const OTHER_WAY = /^acp-/;

/** Read at each connection, and when somebody looks again. */
export class RuntimeStore extends Store {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream
  ) {
    super();
    events.onMissed(() => void this.load().catch(() => undefined));
  }

  /** Null until they are known. */
  items: RuntimeRow[] | null = null;

  get found(): RuntimeRow[] {
    return (this.items ?? []).filter(row => row.found);
  }

  /** Each product once, by the first way to it that was found, else by the plainest. */
  get products(): RuntimeRow[] {
    const rows = new Map<string, RuntimeRow>();
    for (const row of this.items ?? []) {
      const product = row.name.replace(OTHER_WAY, '');
      const known = rows.get(product);
      if (!known || (row.found && !known.found)) {
        rows.set(product, row);
      }
    }
    return [...rows.values()];
  }

  get demo(): RuntimeRow | undefined {
    return this.found.find(row => row.name === DEMO);
  }

  /** Known, and no CLI but the demo agent among them. */
  get noneFound(): boolean {
    return this.items !== null && this.found.every(row => row.name === DEMO);
  }

  get(name: string | null): RuntimeRow | undefined {
    return this.found.find(row => row.name === name);
  }

  /** What runs when nobody chooses. */
  get default(): RuntimeRow | undefined {
    return this.found.find(row => row.is_default) ?? this.found[0];
  }

  /** That none was found is said on the first document, and not again on each: the demo agent serves them. */
  tellsNoneFound(path: string | null): boolean {
    if (!this.noneFound) {
      return false;
    }
    this._told ??= path;
    return !this.demo || this._told === path;
  }

  async load(): Promise<void> {
    this.items = (await this._client.runtimes()).items;
    this.tell();
  }

  private _told: string | null = null;
}

/** How careful each permission mode is; 0 asks about everything. */
export const CARE: Readonly<Record<PermissionMode, number>> = { ask: 0, edit: 1, bypass: 2 };

/** The permission modes of a runtime, from the most careful one on. */
export function permissionModes(row: RuntimeRow | undefined): PermissionMode[] {
  const can = row?.capabilities?.permission_modes ?? [];
  return can.filter(mode => mode in CARE).sort((a, b) => CARE[a] - CARE[b]);
}
