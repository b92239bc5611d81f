/**
 * The section of agent runtimes in JupyterLab's settings, and the command that leads there.
 * What is shown comes lazily from `runtimeParts.ts`.
 */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { type IFormRenderer, IFormRendererRegistry } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Commands, labelled } from '../commands';
import { ICabinet } from '../tokens';
import { forgetLink, openLab } from './labPage';

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
      const { makeSection } = await import('./runtimeParts');
      return { default: makeSection(app, cabinet, trans) };
    });
    const drawn = React.createElement(
      React.Suspense,
      { fallback: null },
      React.createElement(Section)
    );
    renderers?.addRenderer('jupyter-cabinet:plugin.runtimes', { fieldRenderer: () => drawn });
    renderers?.addRenderer('jupyter-cabinet:plugin.terminalFontSize', { fieldRenderer: FontSize });
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
      void app.restored
        .then(() => app.commands.execute(Commands.runtimes))
        .then(() => forgetLink(LINK_PARAMETER));
    }
  }
};

/** As JupyterLab draws a number, with the name for a screen reader that its own field lacks. */
const FontSize: NonNullable<IFormRenderer['fieldRenderer']> = props => {
  const { formData, idSchema, onChange, schema } = props;
  const id = idSchema.$id;
  const field = React.createElement('input', {
    id,
    className: 'form-control',
    type: 'number',
    min: schema.minimum,
    max: schema.maximum,
    value: formData ?? '',
    onChange: ({ target }: React.ChangeEvent<HTMLInputElement>) =>
      onChange(target.value === '' ? undefined : Number(target.value))
  });
  const label = { className: 'jp-FormGroup-fieldLabel jp-FormGroup-contentItem', htmlFor: id };
  return React.createElement(
    React.Fragment,
    null,
    React.createElement('label', label, schema.title),
    React.createElement(
      'div',
      { className: 'jp-inputFieldWrapper jp-FormGroup-contentItem' },
      field
    )
  );
};
