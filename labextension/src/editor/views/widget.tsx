/**
 * The editor panel as a Lumino widget. Loaded lazily by the sidebar.
 */
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';
import * as React from 'react';

import type { ComposerFocus } from '../stores/composerFocus';
import { ApprovalContext, type IApprovalServices } from '../../approvals/views/services';
import type { IPanelServices } from './services';
import { TerminalContext, type ITerminalServices } from '../../terminal/views/services';
import { EditorPanel } from './EditorPanel';

import '../../../style/shared.css';
import '../../../style/editor.css';
import '../../../style/session.css';
import '../../../style/terminal.css';
import '../../../style/approvals.css';

export function createEditorPanel(
  services: IPanelServices,
  terminals: ITerminalServices,
  approvals: IApprovalServices,
  state: ComposerFocus
): Widget {
  const widget = ReactWidget.create(
    <UseSignal signal={state.changed}>
      {() => (
        <TerminalContext.Provider value={terminals}>
          <ApprovalContext.Provider value={approvals}>
            <EditorPanel services={services} focusCount={state.focusCount} />
          </ApprovalContext.Provider>
        </TerminalContext.Provider>
      )}
    </UseSignal>
  );
  widget.addClass('jp-Cabinet-sidebar-content');
  return widget;
}
