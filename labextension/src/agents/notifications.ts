/**
 * Shows news of agents as JupyterLab’s notifications. Loaded after the start.
 */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { CabinetClient } from '../api/client';
import type { EventStream } from '../api/events';
import type { CabinetEvent } from '../api/types';
import type { RunStore } from '../runs';
import { SETTINGS } from '../shared/settings';
import type { IAgents } from './tokens';
import {
  type INews,
  type IOffer,
  isWanted,
  newsOf,
  overBy,
  wishOf,
  type Wish
} from './stores/news';

const AUTO_CLOSE_MS = 8_000;

/**
 * What stopped or waits stays until it is waved away, or its reason is over. `wish`: which news the person wants now. That this page itself
 * has paused all work is no news. `nameOf`: how people call an agent.
 */
export async function notify(
  app: JupyterFrontEnd,
  events: EventStream,
  runs: RunStore,
  trans: TranslationBundle,
  wish: () => Wish,
  nameOf: (slug: string) => Promise<string>
): Promise<void> {
  const workSwitch = await runs.workSwitch();
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
      const id = Notification.emit(news.text, news.level, optionsOf(news, app, trans));
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

function optionsOf(
  { level, offer, stays }: INews,
  app: JupyterFrontEnd,
  trans: TranslationBundle
): Notification.IOptions<never> {
  return {
    actions: offer && [offered(offer, app, trans)],
    autoClose: level === 'info' && !stays ? AUTO_CLOSE_MS : false
  };
}

/** The button with which a person accepts what an agent offers. */
function offered(
  { action, text }: IOffer,
  app: JupyterFrontEnd,
  trans: TranslationBundle
): Notification.IAction {
  return action === 'open'
    ? {
        label: trans.__('Open'),
        callback: () => void app.commands.execute('docmanager:open', { path: text })
      }
    : { label: trans.__('Show'), callback: () => void showText(text, trans) };
}

/** The person sees all that they copy. */
async function showText(text: string, trans: TranslationBundle): Promise<void> {
  const { showTextToCopy } = await import(
    /* webpackChunkName: "confirming" */ './views/textToCopyDialog'
  );
  await showTextToCopy(text, trans);
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
