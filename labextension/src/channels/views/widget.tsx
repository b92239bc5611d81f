/**
 * The channels as the content of a tab.
 */
import * as React from 'react';

import { fillTab } from '../../shared/views/fillTab';
import type { LazyTab } from '../../shared/views/lazyTab';
import { ChannelsPane } from './ChannelsPane';
import { ChannelContext, type IChannelServices } from './services';

import '../../../style/shared.css';
import '../../../style/session.css';
import '../../../style/pane.css';
import '../../../style/channels.css';

export function drawChannels(tab: LazyTab, services: IChannelServices): void {
  const widget = fillTab(
    tab,
    <ChannelContext.Provider value={services}>
      <ChannelsPane />
    </ChannelContext.Provider>
  );
  widget.disposed.connect(() => services.channels.dispose());
}
