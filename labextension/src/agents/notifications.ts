/**
 * Shows news of agents as JupyterLab’s notifications. Loaded after the start.
 */
import { Notification } from '@jupyterlab/apputils';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CabinetClient } from '../api/client';
import type { EventStream } from '../api/events';
import type { CabinetEvent } from '../api/types';
import type { WorkSwitchStore } from '../runs';
import { SETTINGS } from '../shared/settings';
import type { IAgents } from './tokens';
import { isWanted, newsOf, overBy, wishOf, type Wish } from './stores/news';

const AUTO_CLOSE_MS = 8_000;

/**
 * What stopped or waits stays until it is waved away, or its reason is over. `wish`: which news the person wants now. That this page itself
 * has paused all work is no news. `nameOf`: how people call an agent.
 */
export function notify(
  events: EventStream,
  workSwitch: WorkSwitchStore,
  trans: TranslationBundle,
  wish: () => Wish,
  nameOf: (slug: string) => Promise<string>
): void {
  const shown = new Map<string, string>();
  const show = async (event: CabinetEvent) => {
    let news = newsOf(event, trans, slug => slug);
    const slug = news && agentOf(event);
    if (slug) {
      const name = await nameOf(slug);
      news = newsOf(event, trans, () => name);
    }
    for (const key of overBy(event)) {
      const over = shown.get(key);
      if (over) {
        shown.delete(key);
        Notification.dismiss(over);
      }
    }
    const isOwn = event.type === 'work_paused' && workSwitch.turnedHere === true;
    if (news && !isOwn && isWanted(news, wish())) {
      const before = shown.get(news.key ?? '');
      if (before && Notification.update({ id: before, message: news.text, type: news.level })) {
        return;
      }
      const autoClose = news.level === 'info' ? AUTO_CLOSE_MS : false;
      const id = Notification.emit(news.text, news.level, { autoClose });
      if (news.key) {
        shown.set(news.key, id);
      }
    }
  };
  let last = Promise.resolve(); // names are fetched, and the order of the events counts
  events.happened.connect((_, event) => {
    last = last.then(() => show(event as CabinetEvent)).catch(console.error);
  });
}

function agentOf(event: CabinetEvent): string | null {
  return 'agent' in event ? event.agent : 'run' in event ? event.run.agent : null;
}

/** How people call an agent; its slug if the server does not say. */
export function namesFrom(
  agents: IAgents,
  client: CabinetClient
): (slug: string) => Promise<string> {
  return async slug => {
    try {
      return (await agents()).row(slug)?.name ?? (await client.agent(slug)).name;
    } catch {
      return slug;
    }
  };
}

/** What the setting `agentNotifications` says now; everything where there are no settings. */
export async function readWish(registry: ISettingRegistry | null): Promise<() => Wish> {
  const settings = await registry?.load(SETTINGS).catch(() => null);
  return () => wishOf(settings?.composite.agentNotifications);
}
