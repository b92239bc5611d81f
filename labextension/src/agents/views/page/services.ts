/**
 * What the parts of an agent's page are given, and what they have in common.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import * as React from 'react';

import type { IApprovalServices } from '../../../approvals';
import type { OutputPool, WorkSwitchStore } from '../../../runs';
import type { RuntimeStore } from '../../../runtimes';
import { useChanges } from '../../../shared/views/hooks';
import type { AgentPage } from '../../stores/page/page';
import type { Place } from '../../stores/page/place';
import { whyNot } from '../../stores/rights';
import type { IAgentServices } from '../services';

/** Made once for a page. */
export interface IPageServices extends IAgentServices {
  page: AgentPage;
  approvals: IApprovalServices;
  outputs: OutputPool;
  runtimes: RuntimeStore;
  workSwitch: WorkSwitchStore;
  /** Draws Markdown, where it is there. */
  rendermime: IRenderMimeRegistry | null;
  /** Show what the agent wants to be allowed, and let it act where the person says so. */
  confirm: () => Promise<void>;
  /** The same for a play. */
  confirmPlay: (slug: string) => Promise<void>;
  place: Place;
}

export const PageContext = React.createContext<IPageServices | null>(null);

/** Only below a `PageContext`. */
export function usePage(): IPageServices {
  return React.useContext(PageContext)!;
}

/** Why this person cannot do something here; null: they can. `owned`: the agent or run, where only its owner may. */
export function useWhyNot(owned: Parameters<typeof whyNot>[0] = null): string | null {
  const { connection, trans } = usePage();
  useChanges(connection.changed);
  return whyNot(owned, connection, trans);
}
