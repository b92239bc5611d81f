/**
 * Shows news of agents as JupyterLab’s notifications. Loaded after the start.
 */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { EventStream } from '../api/events';
import type { CabinetEvent } from '../api/types';
import { newsOf } from './stores/news';

const AUTO_CLOSE_MS = 8_000;

/** What stopped or waits stays until it is waved away. */
export function notify(events: EventStream, trans: TranslationBundle): void {
  events.happened.connect((_, event) => {
    const news = newsOf(event as CabinetEvent, trans);
    if (news) {
      Notification.emit(news.text, news.level, {
        autoClose: news.level === 'info' ? AUTO_CLOSE_MS : false
      });
    }
  });
}
