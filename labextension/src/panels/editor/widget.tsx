/**
 * The editor panel as a Lumino widget. Loaded lazily by the sidebar.
 */
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';
import * as React from 'react';

import type { SidebarState } from '../../state/sidebar';
import type { IPanelServices } from '../parts/services';
import { EditorPanel } from './EditorPanel';

import '../../../style/parts.css';
import '../../../style/editor.css';
import '../../../style/session.css';

export function createEditorPanel(services: IPanelServices, state: SidebarState): Widget {
  const widget = ReactWidget.create(
    <UseSignal signal={state.changed}>
      {() => (
        <EditorPanel
          services={services}
          focusCount={state.focusCount}
          finding={state.finding}
          onFound={() => state.find(false)}
        />
      )}
    </UseSignal>
  );
  widget.addClass('jp-Cabinet-sidebar-content');
  return widget;
}
