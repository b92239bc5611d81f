/**
 * The section of agent runtimes in JupyterLab's settings, and the command that leads there.
 * What is shown comes lazily from `runtimeParts.ts`.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { type IFormRenderer, IFormRendererRegistry } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Commands, labelled } from '../shared/commands';
import { ICabinet } from '../shared/tokens';
import { openLab } from '../shared/labPage';

const SETTINGS = 'settingeditor:open';
/** In an address of JupyterLab: that this shall be shown. */
const LINK_PARAMETER = 'cabinet-runtimes';

export const runtimesPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-cabinet:runtimes',
  description: 'Which agent programs were found, in the settings.',
  autoStart: true,
  requires: [ICabinet],
  optional: [ITranslator, IFormRendererRegistry],
  activate: (
    app: JupyterFrontEnd,
    cabinet: ICabinet,
    translator: ITranslator | null,
    renderers: IFormRendererRegistry | null
  ) => {
    const trans = (translator ?? nullTranslator).load('jupyter_cabinet');
    const Section = React.lazy(async () => {
      const { makeSection } = await import('./settingsSection');
      return { default: makeSection(app, cabinet, trans) };
    });
    const later = (element: React.ReactElement) =>
      React.createElement(React.Suspense, { fallback: null }, element);
    const drawn = later(React.createElement(Section));
    const FontSize = React.lazy(async () => ({
      default: (await import('../terminal/views/fontSizeField')).FontSize
    }));
    const fontSize: IFormRenderer['fieldRenderer'] = props =>
      later(React.createElement(FontSize, props));
    renderers?.addRenderer('jupyter-cabinet:plugin.runtimes', { fieldRenderer: () => drawn });
    renderers?.addRenderer('jupyter-cabinet:plugin.terminalFontSize', { fieldRenderer: fontSize });
    app.commands.addCommand(Commands.runtimes, {
      label: labelled(trans.__('Agent runtimes'), trans),
      caption: trans.__('Which agent programs were found, what they can do, and a test prompt'),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () =>
        app.commands.hasCommand(SETTINGS)
          ? app.commands.execute(SETTINGS, { query: 'Jupyter Cabinet' })
          : openLab(app, LINK_PARAMETER, '')
    });
    if (new URLSearchParams(location.search).has(LINK_PARAMETER)) {
      void app.restored.then(() => app.commands.execute(Commands.runtimes));
    }
  }
};
