import { StateDB } from '@jupyterlab/statedb';

import { fakeEvents, fakeServer } from '../../testing/fakes';
import { ChannelsStore } from './channelList';
import { keptChannel } from './keptChannel';

function open(db: StateDB, ids: string[]) {
  const { client } = fakeServer({ 'GET channels': { items: ids.map(id => ({ id })) } });
  const channels = new ChannelsStore(client, fakeEvents(client).events);
  return { channels, kept: keptChannel(channels, db, true) };
}

it('shows the channel of a person again after a reload, if it is still there', async () => {
  const db = new StateDB();
  const first = open(db, ['a', 'b']);
  await first.kept.load('ada');
  first.channels.choose('b');
  first.kept.dispose();
  const again = open(db, ['a', 'b']);
  await again.kept.load('ada');
  expect(again.channels.chosen).toBe('b');
  again.kept.dispose();
  const other = open(db, ['a', 'b']);
  await other.kept.load('ben');
  expect(other.channels.chosen).toBeNull();
  const gone = open(db, ['a']);
  await gone.kept.load('ada');
  expect(gone.channels.chosen).toBeNull();
});
