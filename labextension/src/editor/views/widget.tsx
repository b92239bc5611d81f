/**
 * The editor panel as a Lumino widget. Loaded lazily by the sidebar.
 */
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';
import * as React from 'react';

import type { ComposerFocus } from '../stores/composerFocus';
import { ApprovalContext } from '../../approvals/views';
import type { IApprovalServices } from '../../approvals';
import type { IEditorPanelServices } from './services';
import { TerminalContext } from '../../terminal/views';
import type { ITerminalServices } from '../../terminal';
import { EditorPanel } from './EditorPanel';

import '../../../style/shared.css';
import '../../../style/editor.css';
import '../../../style/session.css';
import '../../../style/terminal.css';
import '../../../style/approvals.css';

export function createEditorWidget(
  services: IEditorPanelServices,
  terminals: ITerminalServices,
  approvals: IApprovalServices,
  focus: ComposerFocus
): Widget {
  const widget = ReactWidget.create(
    <UseSignal signal={focus.changed}>
      {() => (
        <TerminalContext.Provider value={terminals}>
          <ApprovalContext.Provider value={approvals}>
            <EditorPanel services={services} focusCount={focus.focusCount} />
          </ApprovalContext.Provider>
        </TerminalContext.Provider>
      )}
    </UseSignal>
  );
  widget.addClass('jp-Cabinet-sidebar-content');
  return widget;
}
