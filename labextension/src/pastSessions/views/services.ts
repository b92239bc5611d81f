/**
 * The services that the tab of past sessions uses.
 */
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { IApprovalServices } from '../../approvals';
import type { ChoiceStore, RuntimeStore } from '../../runtimes';
import type { ConnectionStore } from '../../shared/connection';
import { visible } from '../../shared/untrusted';
import { useChanges } from '../../shared/views/hooks';
import type { PastSessionStore } from '../stores/sessionList';

/** Made for each tab. */
export interface IPastSessionServices {
  connection: ConnectionStore;
  /** Disposed of with the tab. */
  sessions: PastSessionStore;
  runtimes: RuntimeStore;
  choices: ChoiceStore;
  approvals: IApprovalServices;
  rendermime: IRenderMimeRegistry | null;
  /** Whether the person has switched the suggestions on. */
  suggestsNextPrompts: () => boolean;
  trans: TranslationBundle;
  /** Says something to who listens instead of looking. */
  announce: (words: string) => void;
  /** `path`: relative to the server's root. */
  openDocument: (path: string) => void;
  /** Shows what agents did, with the runs that were started here. */
  showActivity: () => void;
}

export const PastSessionContext = React.createContext<IPastSessionServices | null>(null);

/** Only below a `PastSessionContext`. */
export function usePastSessions(): IPastSessionServices {
  return React.useContext(PastSessionContext)!;
}

/** What a runtime is called: "Claude Code" for `claude`. */
export function useRuntimeTitle(): (name: string) => string {
  const { runtimes } = usePastSessions();
  useChanges(runtimes.changed);
  return name => visible(runtimes.items?.find(row => row.name === name)?.title ?? name);
}
