/**
 * What the parts of an agent's page are given, and what they have in common.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import * as React from 'react';

import type { IApprovalServices } from '../../../approvals';
import type { OutputPool, WorkSwitchStore } from '../../../runs';
import { useChanges } from '../../../shared/views/hooks';
import type { AgentPage } from '../../stores/page/page';
import type { Reading } from '../../stores/page/reading';
import { whyNot } from '../../stores/rights';
import type { IAgentServices } from '../services';

/** Made once for a page. */
export interface IPageServices extends IAgentServices {
  page: AgentPage;
  approvals: IApprovalServices;
  outputs: OutputPool;
  workSwitch: WorkSwitchStore;
  /** Draws Markdown, where it is there. */
  rendermime: IRenderMimeRegistry | null;
  /** Show what the agent wants to be allowed, and let it act where the person says so. */
  confirm: () => Promise<void>;
  /** Which tab is shown first; another word than theirs: the overview. */
  first: string;
}

export const PageContext = React.createContext<IPageServices | null>(null);

/** Only below a `PageContext`. */
export function usePage(): IPageServices {
  return React.useContext(PageContext)!;
}

/** Why this person cannot do something here; null: they can. `owner`: of the agent, where only its owner may. */
export function useWhyNot(owner: string | null = null): string | null {
  const { connection, trans } = usePage();
  useChanges(connection.changed);
  return whyNot(owner, connection, trans);
}

/** Something that is read for as long as it is shown. */
export function useReading<T>(make: () => Reading<T>, key: string): Reading<T> {
  // A reading is made anew for another key only.
  const reading = React.useMemo(make, [key]);
  React.useEffect(() => () => reading.dispose(), [reading]);
  useChanges(reading.changed);
  return reading;
}

/** One thing that a person asks for, and why it was refused. */
export function useAsking(): {
  isBusy: boolean;
  refusal: string | null;
  ask: (what: () => Promise<unknown>) => Promise<boolean>;
} {
  const [isBusy, setBusy] = React.useState(false);
  const [refusal, setRefusal] = React.useState<string | null>(null);
  const ask = async (what: () => Promise<unknown>) => {
    setBusy(true);
    setRefusal(null);
    try {
      await what();
      return true;
    } catch (reason) {
      setRefusal((reason as Error).message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, refusal, ask };
}
