/**
 * Announces agents' questions once the application is there: badge, status item, notification, screen reader.
 * Loaded after the start.
 */
import { Notification } from '@jupyterlab/apputils';
import type { IStatusBar } from '@jupyterlab/statusbar';
import type { Widget } from '@lumino/widgets';

import { Commands } from '../shared/commands';
import { approvalIcon } from '../shared/icons/start';
import type { IApprovalServices } from './views/services';
import { countText, newsText, spokenText } from './stores/labels';
import type { Announcer } from '../shared/announcer';
import { statusItem } from '../shared/views/statusItem';

/** Once the application is restored. */
export function showIndicators(
  services: IApprovalServices,
  sidebar: Widget,
  statusBar: IStatusBar | null,
  announcer: Announcer
): void {
  const { reviews, store } = services;
  const badge = () => showBadge(sidebar, services);
  store.changed.connect(badge);
  reviews.changed.connect(badge);
  badge();
  showStatus(statusBar, services);
  tellNews(services, announcer);
}

function showBadge({ title }: Widget, services: IApprovalServices): void {
  const { trans } = services;
  const count = countOf(services);
  title.className = count ? 'jp-Cabinet-badge' : '';
  // JupyterLab keeps the tab's id there, by which *Switch Sidebar Side* finds it.
  const dataset: Record<string, string> = { ...title.dataset };
  delete dataset['cabinet-count'];
  title.dataset = count ? { ...dataset, 'cabinet-count': String(count) } : dataset;
  title.caption = count ? trans.__('Approvals, %1 waiting for you', count) : trans.__('Approvals');
}

/** All that waits for this person. */
function countOf({ reviews, store }: IApprovalServices): number {
  return store.mine.length + reviews.mine.length;
}

function showStatus(statusBar: IStatusBar | null, services: IApprovalServices): void {
  const { reviews, run, store, trans } = services;
  const { item, label, icon, button } = statusItem(() => run(Commands.approvals));
  icon.append(approvalIcon.element({ tag: 'span' }));
  const update = () => {
    const count = countOf(services);
    label.textContent = countText(count, trans);
    button.classList.toggle('jp-mod-waiting', count > 0);
  };
  store.changed.connect(update);
  reviews.changed.connect(update);
  update();
  statusBar?.registerStatusItem('jupyter-cabinet:approvals', {
    item,
    align: 'right',
    rank: 21,
    isActive: () => !store.forbidden,
    activeStateChanged: store.changed
  });
}

/** So long a panel may take to show a question that has come: then no notification is needed. */
const PANEL_MS = 500;

/** Each question is announced once, and shown in one notification until it is seen, answered or dismissed. */
function tellNews({ shown, run, store, trans }: IApprovalServices, announcer: Announcer): void {
  const told = new Set<string>();
  const known = new Set<string>();
  let toast: { id: string; about: string } | null = null;
  let pause: ReturnType<typeof setTimeout> | undefined;
  const news = () => store.mine.filter(({ approval }) => !known.has(approval.id));
  const drop = () => {
    const shown = toast;
    toast = null; // first: dismissing it fires an event
    if (shown) {
      Notification.dismiss(shown.id);
    }
  };
  const show = () => {
    pause = undefined;
    const open = news();
    const about = open.map(({ approval }) => approval.id).join(' ');
    if (!about || about === toast?.about) {
      return;
    }
    const message = newsText(open[0].approval, open.length, trans);
    if (!toast || !Notification.update({ id: toast.id, message })) {
      const actions = [{ label: trans.__('Show'), callback: () => run(Commands.approvals) }];
      toast = { id: Notification.emit(message, 'default', { autoClose: false, actions }), about };
    }
    toast.about = about;
  };
  const update = () => {
    const { mine } = store;
    for (const { approval } of mine) {
      if (!told.has(approval.id)) {
        told.add(approval.id);
        announcer.urgent(spokenText(approval, mine.length, trans));
      }
      if (shown.has(approval.id)) {
        known.add(approval.id);
      }
    }
    if (news().length) {
      pause ??= setTimeout(show, PANEL_MS);
    } else {
      drop();
    }
  };
  Notification.manager.changed.connect((_, { type, notification }) => {
    if (type === 'removed' && toast && notification.id === toast.id) {
      toast.about.split(' ').forEach(id => known.add(id));
      toast = null;
    }
  });
  store.changed.connect(update);
  shown.changed.connect(update);
  update();
}
