/**
 * A tab whose content comes as a separate chunk: an empty panel until then.
 */
import { MainAreaWidget } from '@jupyterlab/apputils';
import type { LabIcon } from '@jupyterlab/ui-components';
import type { ReadonlyPartialJSONObject } from '@lumino/coreutils';
import type { Message } from '@lumino/messaging';
import { Panel } from '@lumino/widgets';

import { onceLoaded } from '../lazy';

/** Where a person writes in a form that covers the tab. */
const FORM_FIELD = '.jp-Cabinet-form-dialog :is(input, textarea)';

class LazyContent extends Panel {
  /** Where the focus goes when the tab is activated. */
  focusInside: (() => void) | null = null;
  /** Called with the arguments of a command that shows a tab which is there already. */
  follow: ((args: ReadonlyPartialJSONObject) => void) | null = null;
  /** Asked before the tab is closed by a person; null: it may be. */
  mayClose: (() => Promise<boolean>) | null = null;

  protected override onActivateRequest(message: Message): void {
    super.onActivateRequest(message);
    const field = this.node.querySelector<HTMLElement>(FORM_FIELD);
    if (field) {
      field.focus();
    } else {
      this.focusInside?.();
    }
  }
}

class Tab extends MainAreaWidget<LazyContent> {
  protected override onCloseRequest(message: Message): void {
    void Promise.resolve(this.content.mayClose?.() ?? true).then(
      mayClose => mayClose && super.onCloseRequest(message)
    );
  }
}

/** A tab of the main area, empty until it is filled. */
export type LazyTab = MainAreaWidget<LazyContent>;

/** `fill` is called at once; the tab can be added to the shell before it is done. */
export function lazyTab(
  id: string,
  label: string,
  icon: LabIcon,
  fill: (tab: LazyTab) => Promise<void>
): LazyTab {
  const tab = new Tab({ content: new LazyContent() });
  tab.id = id;
  tab.title.label = label;
  tab.title.icon = icon;
  tab.title.closable = true;
  tab.toolbar.hide(); // the content brings its own, which folds and keeps its places
  tab.content.addClass('jp-Cabinet-tab');
  void onceLoaded(async () => tab.isDisposed || fill(tab));
  return tab;
}
