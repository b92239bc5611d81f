/**
 * The services that the tab of channels uses.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { AgentStore } from '../../agents';
import type { ConnectionStore } from '../../shared/connection';
import { useChanges } from '../../shared/views/hooks';
import { whyNotChange } from '../stores/rights';
import type { ChannelsStore } from '../stores/channelList';

/** Made for each tab. */
export interface IChannelServices {
  connection: ConnectionStore;
  /** Disposed of with the tab. */
  channels: ChannelsStore;
  agents: AgentStore;
  /** Of the Jupyter server. */
  serverUrl: string;
  trans: TranslationBundle;
  /** Says something to who listens instead of looking. */
  announce: (words: string) => void;
  /** Where it belongs: on the page of its agent, or else what it has written. */
  showRun: (runId: string) => Promise<void>;
}

export const ChannelContext = React.createContext<IChannelServices | null>(null);

/** Only below a `ChannelContext`. */
export function useChannels(): IChannelServices {
  return React.useContext(ChannelContext)!;
}

/** Why this person cannot change anything now, as a sentence; null: they can, if the server agrees. */
export function useWhyNot(): string | null {
  const { connection, trans } = useChannels();
  useChanges(connection.changed);
  return whyNotChange(connection, trans);
}
