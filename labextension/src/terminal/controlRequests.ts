/**
 * Somebody asks for control of a terminal that one does not look at: a notification with *Give control* and *Not now*.
 * It goes when the request is answered or withdrawn, wherever that happens.
 */
import { Notification } from '@jupyterlab/apputils';

import type { Person } from '../api/types';
import { pageTerminals, type IPageTerminal } from './views/pageTerminals';
import type { ITerminalServices } from './views/services';
import { youControl } from './stores/rules';
import { nameOf } from './stores/labels';
import { visible } from '../shared/untrusted';

const SHOWN_MS = 30_000;

/** Listens for as long as the page lives. */
export function askForControl(services: ITerminalServices): void {
  /** Notifications by "terminal user"; null for a request that was seen in its terminal. */
  const known = new Map<string, string | null>();
  const update = () => {
    const open = new Set<string>();
    for (const terminal of pageTerminals.all) {
      for (const person of asking(terminal)) {
        const key = `${terminal.store!.terminalId} ${person.username}`;
        open.add(key);
        if (!known.has(key)) {
          known.set(key, terminal.isFocused ? null : notify(terminal, person, services));
        }
      }
    }
    for (const [key, id] of known) {
      if (!open.has(key)) {
        known.delete(key);
        if (id) {
          Notification.dismiss(id);
        }
      }
    }
  };
  pageTerminals.changed.connect(update);
}

function asking({ store }: IPageTerminal): readonly Person[] {
  return store?.connected && youControl(store.state) ? store.state.requests : [];
}

function notify(terminal: IPageTerminal, person: Person, { trans }: ITerminalServices): string {
  const name = visible(terminal.store!.state.name);
  return Notification.emit(
    trans.__('%1 asks for control of “%2”.', nameOf(person), name),
    'default',
    {
      autoClose: SHOWN_MS,
      actions: [
        {
          label: trans.__('Not now'),
          callback: () => terminal.act('deny', person.username)
        },
        {
          label: trans.__('Give control'),
          displayType: 'accent',
          callback: () => terminal.act('give', person.username)
        }
      ]
    }
  );
}
