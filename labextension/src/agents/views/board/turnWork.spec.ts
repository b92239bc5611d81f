import { Notification } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';

import { RunStore } from '../../../runs/stores/runs';
import { fakeEvents, fakeServer, until } from '../../../testing/fakes';
import { aRun } from '../../../testing/samples';
import { turnWork } from './turnWork';

const ON = { paused: false, by: '', at: null };
const OFF = { paused: true, by: 'Ada', at: '2026-11-23T12:00:00Z' };

async function paused() {
  const server = fakeServer({
    'GET runs?limit=50': { items: [], next: null },
    'GET switch': OFF,
    'POST switch': OFF
  });
  const { events, happen } = fakeEvents(server.client);
  const runs = new RunStore(server.client, events);
  const workSwitch = await runs.workSwitch();
  await until(() => workSwitch.state !== null);
  ['one', 'two'].forEach(id => runs.put(aRun({ id, state: 'running' })));
  await turnWork({ runs, trans: nullTranslator.load('jupyter_cabinet'), workSwitch }, true);
  const offers = () =>
    Notification.manager.notifications.map(({ options }) => options.actions?.[0].label);
  return { happen, offers, runs, server };
}

afterEach(() => Notification.manager.dismiss());

describe('The offer to stop what works as well', () => {
  it('is there for as long as something works', async () => {
    const { offers, runs } = await paused();
    expect(offers()).toEqual(['Also stop 2 runs']);
    runs.put(aRun({ id: 'one', state: 'succeeded' }));
    expect(offers()).toHaveLength(1);
    runs.put(aRun({ id: 'two', state: 'succeeded' }));
    expect(offers()).toEqual([]);
  });

  it('disappears when work is resumed, also by somebody else', async () => {
    const { happen, offers, server } = await paused();
    server.answers['GET switch'] = ON;
    happen({ type: 'work_resumed', by: 'Ben' });
    await until(() => offers().length === 0);
  });
});
