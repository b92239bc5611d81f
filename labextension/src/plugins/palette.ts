/**
 * Lists our commands in the palette, once the application is there.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

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
    void app.restored.then(async () => {
      const { listCommands } = await import(/* webpackChunkName: \"restored\" */ './paletteParts');
      listCommands(palette, cabinet, trans);
    });
  }
};
