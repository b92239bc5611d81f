/**
 * The services of notebook outputs: the stores of the panels, never separate ones.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import * as React from 'react';

import type { IAgentServices } from '../../agents/views';
import type { IApprovalServices } from '../../approvals';
import type { OutputPool, RunStore, WorkSwitchStore } from '../../runs';
import type { RuntimeStore } from '../../runtimes';
import type { ITerminalServices } from '../../terminal';
import type { ConsentStore } from '../stores/consent';
import type { ISaved } from '../stores/shownOutput';
import type { SpokenRuns } from '../stores/spokenRuns';

/** Made once for a page. */
export interface ICellServices extends IAgentServices {
  approvals: IApprovalServices;
  consent: ConsentStore;
  outputs: OutputPool;
  rendermime: IRenderMimeRegistry;
  runs: RunStore;
  runtimes: RuntimeStore;
  spoken: SpokenRuns;
  terminals: ITerminalServices;
  workSwitch: WorkSwitchStore;
  has: (command: string) => boolean;
  /** Whether the server’s root folder is confirmed, after a person was asked. */
  confirmFolder: () => Promise<boolean>;
}

export const CellContext = React.createContext<ICellServices | null>(null);

/** Only below a `CellContext`. */
export function useCells(): ICellServices {
  return React.useContext(CellContext)!;
}

/** What each kind of view is given. `mayAct`: it has buttons, and connects by itself. */
export interface IViewProps<V> {
  view: V;
  saved: ISaved;
  mayAct: boolean;
}
