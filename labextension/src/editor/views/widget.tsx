/**
 * The editor panel as a Lumino widget. Loaded lazily by the sidebar.
 */
import { ReactWidget, UseSignal } from '@jupyterlab/ui-components';
import type { Widget } from '@lumino/widgets';
import * as React from 'react';

import type { ComposerFocus } from '../stores/composerFocus';
import { ApprovalContext } from '../../approvals/views';
import type { IApprovalServices } from '../../approvals';
import { ChangesContext, type IChangesServices, mayDecide } from '../../changes/views';
import type { IEditorPanelServices } from './services';
import { TerminalContext } from '../../terminal/views';
import type { ITerminalServices } from '../../terminal';
import { Commands } from '../../shared/commands';
import { EditorPanel } from './EditorPanel';

import '../../../style/shared.css';
import '../../../style/editor.css';
import '../../../style/session.css';
import '../../../style/terminal.css';
import '../../../style/approvals.css';
import '../../../style/changes.css';

export function createEditorWidget(
  services: IEditorPanelServices,
  terminals: ITerminalServices,
  approvals: IApprovalServices,
  focus: ComposerFocus
): Widget {
  const { changes, connection, rendermime, runs, trans } = services;
  const changesServices: IChangesServices = {
    changes,
    trans,
    rendermime,
    mayDecide: run => mayDecide(run, connection),
    readWhole: run => void runs.find(run.id).catch(() => undefined),
    openDocument: path => void services.openDocument(path),
    openReview: run => services.run(Commands.review, { run: run.id }),
    announce: words => services.announcer.polite(words)
  };
  const widget = ReactWidget.create(
    <UseSignal signal={focus.changed}>
      {() => (
        <TerminalContext.Provider value={terminals}>
          <ApprovalContext.Provider value={approvals}>
            <ChangesContext.Provider value={changesServices}>
              <EditorPanel services={services} focusCount={focus.focusCount} />
            </ChangesContext.Provider>
          </ApprovalContext.Provider>
        </TerminalContext.Provider>
      )}
    </UseSignal>
  );
  widget.addClass('jp-Cabinet-sidebar-content');
  return widget;
}
