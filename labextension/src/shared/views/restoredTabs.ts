/**
 * Lazy tabs that come back after a reload of the page, at most one for each key.
 */
import type { ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import { WidgetTracker } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { LabIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';

import { labelled, NO_ARGS } from '../commands';
import { isLab } from '../labPage';
import { lazyTab, type LazyTab } from './lazyTab';

export interface IRestoredTabs {
  /** Begins the ids of the tabs. */
  namespace: string;
  /** Opens one of them when the layout is restored. It has to be there at the start. */
  command: string;
  /** The argument of the command that is the key; none if there is only one tab. */
  argument?: string;
  icon: LabIcon;
  /** What the shell calls such tabs. */
  type: string;
  /** `args`: of the command that has opened it. `isRestored`: it is there from before a reload; nobody asked for it. */
  fill: (
    tab: LazyTab,
    key: string,
    args: ReadonlyPartialJSONObject,
    isRestored: boolean
  ) => Promise<void>;
}

/**
 * Opens the tab of a key, or brings it to the front; it follows what the arguments say. The only tab of its kind has the
 * empty key.
 */
export type OpenTab = (key: string, label: string, args?: ReadonlyPartialJSONObject) => LazyTab;

export function restoredTabs(
  app: JupyterFrontEnd,
  restorer: ILayoutRestorer | null,
  { argument, command, fill, icon, namespace, type }: IRestoredTabs
): OpenTab {
  const tracker = new WidgetTracker<LazyTab>({ namespace });
  let isRestoring = true;
  void app.restored.then(() => (isRestoring = false));
  const idOf = (key: string) => (key ? `${namespace}-${key}` : namespace);
  void restorer?.restore(tracker, {
    command,
    args: ({ id }) => (argument ? { [argument]: id.slice(namespace.length + 1) } : {}),
    name: ({ id }) => id
  });
  return (key, label, args = {}) => {
    let tab = tracker.find(({ id }) => id === idOf(key));
    tab?.content.follow?.(args);
    if (!tab) {
      const isRestored = isRestoring;
      tab = lazyTab(idOf(key), label, icon, made => fill(made, key, args, isRestored));
      void tracker.add(tab);
      app.shell.add(tab, 'main', { type });
    }
    app.shell.activateById(tab.id);
    if (!isRestoring) {
      const opened = tab;
      void import(/* webpackChunkName: 'after-start' */ './uncoverTab').then(views =>
        views.uncoverTab(app, opened)
      );
    }
    return tab;
  };
}

/** The only tab of its kind, and the command that opens it, in JupyterLab alone. */
export function restoredTab(
  app: JupyterFrontEnd,
  restorer: ILayoutRestorer | null,
  trans: TranslationBundle,
  tab: Omit<IRestoredTabs, 'argument'> & {
    label: string;
    caption?: string;
    describedBy?: CommandRegistry.ICommandOptions['describedBy'];
  }
): void {
  const { caption, command, describedBy = NO_ARGS, icon, label } = tab;
  const openTab = restoredTabs(app, restorer, tab);
  app.commands.addCommand(command, {
    label: labelled(label, trans),
    caption,
    icon,
    isVisible: () => isLab(app),
    describedBy,
    execute: args => openTab('', label, args) // the launcher makes room for what it is given
  });
}
