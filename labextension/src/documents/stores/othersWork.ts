/**
 * The documents in which other people's agents are working now, as private runs. The server reveals only the document of
 * such a run, the person for whom it works and the name of its runtime.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CabinetClient } from '../../api/client';
import type { EventStream } from '../../api/events';
import type { CabinetEvent, DocumentWork } from '../../api/types';
import { LiveStore } from '../../shared/liveStore';

/** Several runs may begin or end at once. */
export const READ_PAUSE_MS = 100;

/** Kept up by the events of the server. `changed` fires for each answer. */
export class OthersWork extends LiveStore {
  constructor(
    private readonly _client: CabinetClient,
    events: EventStream
  ) {
    super(events);
    this.keepUp();
  }

  /** The runs of other people's agents in this document, oldest first. */
  in(path: string | null): readonly DocumentWork[] {
    return this._items.filter(item => item.path === path);
  }

  protected onEvent(event: CabinetEvent): void {
    if (event.type === 'document_work_changed') {
      this.rereadSoon(READ_PAUSE_MS);
    }
  }

  protected reread(): void {
    void this.latest(
      () => this._client.workInDocuments(),
      ({ items }) => {
        this._items = items;
      },
      () => {
        this._items = []; // people who may not read runs do not see this work either
      }
    );
  }

  private _items: readonly DocumentWork[] = [];
}

/** "Ada Lind’s agent (Claude Code) is working in this document." */
export function othersWorkText(
  [first, ...rest]: readonly DocumentWork[],
  trans: TranslationBundle
): string {
  return rest.length
    ? trans.__('%1 agents of other people are working in this document.', rest.length + 1)
    : trans.__('%1’s agent (%2) is working in this document.', first.by, first.agent);
}
