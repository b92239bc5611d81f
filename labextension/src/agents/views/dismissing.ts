/**
 * Notifications that disappear as soon as their reason is over.
 */
import { Notification } from '@jupyterlab/apputils';

import type { Store } from '../../shared/store';
import type { AgentStore } from '../stores/agents';

/** `isOver` is asked after each change of this agent, as long as the notification with this id is there. */
export function dismissWhen(
  id: string,
  agents: AgentStore,
  slug: string,
  isOver: () => boolean
): void {
  dismissAfterChanges(id, [agents], isOver, agents.watch(slug));
}

/** `isOver` is asked after each change of these stores. `onEnd` is called once the notification is gone. */
export function dismissAfterChanges(
  id: string,
  stores: readonly Store[],
  isOver: () => boolean,
  onEnd: () => void = () => undefined
): void {
  const end = () => {
    stores.forEach(store => store.changed.disconnect(check));
    Notification.manager.changed.disconnect(onChange);
    onEnd();
  };
  const check = () => {
    if (isOver()) {
      end();
      Notification.dismiss(id);
    }
  };
  const onChange = () => {
    if (!Notification.manager.has(id)) {
      end();
    }
  };
  stores.forEach(store => store.changed.connect(check));
  Notification.manager.changed.connect(onChange);
}

/** Gives a function that tells whether something held when it was asked before, and does no longer. */
export function heldBefore(holds: () => boolean): () => boolean {
  let hasHeld = false;
  return () => {
    const isHolding = holds();
    hasHeld ||= isHolding;
    return hasHeld && !isHolding;
  };
}
