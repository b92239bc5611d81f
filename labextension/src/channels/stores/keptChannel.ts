/**
 * Which channel a person had open, across reloads of the page.
 */
import type { IStateDB } from '@jupyterlab/statedb';

import { KeptChoice } from '../../shared/keptChoice';
import type { ChannelsStore } from './channelList';

/** `restores`: whether the page was reloaded. */
export function keptChannel(
  channels: ChannelsStore,
  db: IStateDB | null,
  restores: boolean
): KeptChoice {
  const list = {
    store: channels,
    chosen: () => channels.chosen,
    choose: (id: string) => channels.choose(id),
    exists: async (id: string) => (await channels.routes.list()).some(each => each.id === id)
  };
  return new KeptChoice(list, 'channel', db, restores);
}
