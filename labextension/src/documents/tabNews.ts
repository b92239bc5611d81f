/**
 * A dot on the tab of each document in which a run has ended while somebody looked at another one. Loaded after the
 * start.
 */
import type { ILabShell } from '@jupyterlab/application';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Widget } from '@lumino/widgets';

import { isFinal, type RunStore } from '../runs';
import type { OpenDocuments } from './openDocuments';

const MARK = 'jp-Cabinet-mod-news';

export function showTabNews(options: {
  runs: RunStore;
  documents: OpenDocuments;
  labShell: ILabShell;
  trans: TranslationBundle;
}): void {
  const { documents, labShell, runs, trans } = options;
  const working = new Set(runs.active.map(run => run.id));
  const captions = new WeakMap<Widget, string>();

  runs.updated.connect((_, run) => {
    if (!isFinal(run)) {
      working.add(run.id);
    } else if (working.delete(run.id) && run.path !== null) {
      documents
        .contexts()
        .filter(context => documents.pathOf(context) === run.path)
        .flatMap(context => documents.widgetsOf(context))
        .filter(widget => !widget.isVisible && !has(widget))
        .forEach(widget => {
          captions.set(widget, widget.title.caption);
          widget.title.className = `${widget.title.className} ${MARK}`.trim();
          widget.title.caption = `${widget.title.caption}\n${trans.__('An agent has finished here.')}`;
        });
    }
  });

  labShell.currentChanged.connect((_, { newValue }) => {
    if (newValue && has(newValue)) {
      newValue.title.className = newValue.title.className.replace(MARK, '').trim();
      newValue.title.caption = captions.get(newValue) ?? '';
    }
  });
}

function has(widget: Widget): boolean {
  return widget.title.className.split(' ').includes(MARK);
}
