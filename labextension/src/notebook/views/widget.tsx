/**
 * An output as a Lumino widget. Loaded lazily.
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import { AgentContext } from '../../agents/views';
import { ApprovalContext } from '../../approvals/views';
import { TerminalContext } from '../../terminal/views';
import type { IDrawnOutput } from '../renderer';
import { ShownOutput } from '../stores/shownOutput';
import { Output } from './Output';
import { CellContext, type ICellServices } from './services';

import '../../../style/shared.css';
import '../../../style/session.css';
import '../../../style/approvals.css';
import '../../../style/terminal.css';
import '../../../style/notebook.css';

/** It is empty until it is given something to show. */
export function createOutput(services: ICellServices): IDrawnOutput {
  const shown = new ShownOutput();
  const widget = ReactWidget.create(
    <CellContext.Provider value={services}>
      <AgentContext.Provider value={services}>
        <TerminalContext.Provider value={services.terminals}>
          <ApprovalContext.Provider value={services.approvals}>
            <Output shown={shown} />
          </ApprovalContext.Provider>
        </TerminalContext.Provider>
      </AgentContext.Provider>
    </CellContext.Provider>
  );
  widget.addClass('jp-Cabinet-cell-content');
  widget.disposed.connect(() => shown.dispose());
  return {
    widget,
    show: (data, saved, trusted) => shown.set(data, saved, trusted)
  };
}
