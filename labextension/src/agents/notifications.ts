/**
 * Shows news of agents as JupyterLab’s notifications. Loaded after the start.
 */
import { Notification } from '@jupyterlab/apputils';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { EventStream } from '../api/events';
import type { CabinetEvent } from '../api/types';
import type { WorkSwitchStore } from '../runs';
import { SETTINGS } from '../shared/settings';
import { isWanted, newsOf, overBy, wishOf, type Wish } from './stores/news';

const AUTO_CLOSE_MS = 8_000;

/**
 * What stopped or waits stays until it is waved away, or its reason is over. `wish`: which news the person wants now. That this page itself
 * has paused all work is no news.
 */
export function notify(
  events: EventStream,
  workSwitch: WorkSwitchStore,
  trans: TranslationBundle,
  wish: () => Wish
): void {
  const shown = new Map<string, string>();
  events.happened.connect((_, event) => {
    const news = newsOf(event as CabinetEvent, trans);
    for (const key of overBy(event as CabinetEvent)) {
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
  });
}

/** What the setting `agentNotifications` says now; everything where there are no settings. */
export async function readWish(registry: ISettingRegistry | null): Promise<() => Wish> {
  const settings = await registry?.load(SETTINGS).catch(() => null);
  return () => wishOf(settings?.composite.agentNotifications);
}
