/**
 * Our commands in the palette: each as "Cabinet: …", found by *ask*, *agent*, *AI* and the name of each runtime.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import type { IDisposable } from '@lumino/disposable';

import { PALETTE } from '../commands';
import { visible } from '../state/untrusted';
import { ICabinet } from '../tokens';

export const palettePlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:palette',
  description: 'Lists our commands in the command palette.',
  autoStart: true,
  requires: [ICabinet, ICommandPalette],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    cabinet: ICabinet,
    palette: ICommandPalette,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    const { runtimes } = cabinet;
    let category = '';
    let items: IDisposable[] = [];
    const list = () => {
      // The palette searches in labels and in the names of categories, and nowhere else.
      const rows = [...(runtimes.items ?? [])].sort((a, b) => Number(b.found) - Number(a.found));
      const names = rows.map(row => visible(row.title));
      const now = [trans.__('Cabinet, ask an AI agent'), ...names].join(', ');
      if (now !== category) {
        category = now;
        items.forEach(item => item.dispose());
        items = PALETTE.map((command, rank) =>
          palette.addItem({ command, category, rank, args: { isPalette: true } })
        );
      }
    };
    void app.restored.then(() => {
      runtimes.changed.connect(list);
      list();
    });
  }
};
