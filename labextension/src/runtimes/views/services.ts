/**
 * What the section of agent runtimes is given.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ConnectionStore } from '../../shared/connection';
import type { RuntimeStore } from '../stores/runtimes';
import type { RuntimeTestStore } from '../stores/runtimeTests';

/** Made once for a page, when the settings are first shown. */
export interface IRuntimeServices {
  connection: ConnectionStore;
  runtimes: RuntimeStore;
  tests: RuntimeTestStore;
  trans: TranslationBundle;
  openRun: (runId: string) => Promise<void>;
}

export const RuntimeContext = React.createContext<IRuntimeServices | null>(null);

/** Only below a `RuntimeContext`. */
export function useRuntimes(): IRuntimeServices {
  return React.useContext(RuntimeContext)!;
}
