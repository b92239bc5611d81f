/**
 * Lights what a run has changed in the documents that are open when it ends. Loaded after the start.
 */
import type { Notebook } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';

import type { Run } from '../api/types';
import type { IChanges } from '../changes';
import { isFinal, type RunStore } from '../runs';
import type { OpenDocuments } from './openDocuments';
import { changedLines, type IChangedLine } from './stores/changedLines';

/** A run that changed more files than this lights none: nobody has asked for so many reads. */
const MOST_FILES = 200;

export function lightChanges(options: {
  runs: RunStore;
  changes: IChanges;
  documents: OpenDocuments;
}): void {
  const { documents, runs } = options;
  const working = new Set(runs.active.map(run => run.id));
  const lit = new WeakMap<Widget, IChangedLine[]>(); // of each view

  const light = async (run: Run): Promise<void> => {
    const changes = await options.changes();
    await changes.read(run);
    const changed = new Set(changes.of(run)?.files.map(({ path }) => path));
    const { lightLines } = await import(/* webpackChunkName: "proposals" */ './views/litLines');
    for (const context of documents.contexts()) {
      const path = documents.pathOf(context);
      if (path === null || !changed.has(path)) {
        continue;
      }
      await changes.readDiff(run, path);
      const diff = changes.diff(run, path);
      for (const widget of documents.widgetsOf(context)) {
        const isKnown = lit.has(widget);
        lit.set(widget, diff ? changedLines(diff) : []);
        const draw = () => lightLines(widget, lit.get(widget)!);
        draw();
        if (!isKnown) {
          // A cell that the run has added is there when the notebook has been read again.
          (widget as Widget & { content?: Notebook }).content?.modelContentChanged?.connect(draw);
        }
      }
    }
  };

  runs.updated.connect((_, run) => {
    if (!isFinal(run)) {
      working.add(run.id);
    } else if (working.delete(run.id) && run.changed && isSmall(run.changed.files)) {
      void light(run);
    }
  });
}

function isSmall(files: number): boolean {
  return files > 0 && files <= MOST_FILES;
}
