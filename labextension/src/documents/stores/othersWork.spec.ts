import { nullTranslator } from '@jupyterlab/translation';

import { EventStream } from '../../api/events';
import { FakeSocket, fakeServer, refusal, until } from '../../testing/fakes';
import { OthersWork, othersWorkText } from './othersWork';

const trans = nullTranslator.load('jupyter_cabinet');
const WORK = { run_id: 'r', path: 'notes.md', by: 'Ada Lind', agent: 'Demo agent' };

function parts() {
  const server = fakeServer({ 'GET editor/work': { items: [WORK], next: null } });
  const events = new EventStream(server.client);
  const work = new OthersWork(server.client, events);
  events.open();
  FakeSocket.last.open();
  const happen = (event: object) =>
    FakeSocket.last.receive({ type: 'event', seq: 1, time: '', event });
  return { server, work, happen };
}

describe('the work of other people’s agents', () => {
  it('is known from the start, and by the document', async () => {
    const { work } = parts();
    await until(() => work.in('notes.md').length === 1);
    expect(work.in('other.md')).toEqual([]);
    expect(work.in(null)).toEqual([]);
  });

  it('is read again when an agent begins or ends, once for several', async () => {
    const { happen, server, work } = parts();
    await until(() => work.in('notes.md').length === 1);
    server.answers['GET editor/work'] = { items: [], next: null };
    happen({ type: 'document_work_changed' });
    happen({ type: 'document_work_changed' });
    happen({ type: 'work_paused', by: 'Ada' });
    await until(() => work.in('notes.md').length === 0);
    expect(server.requests).toHaveLength(2);
  });

  it('is not known to those who may not read runs', async () => {
    const { happen, server, work } = parts();
    await until(() => work.in('notes.md').length === 1);
    server.answers['GET editor/work'] = refusal(403, 'not_allowed', 'You may not read runs.');
    happen({ type: 'document_work_changed' });
    await until(() => work.in('notes.md').length === 0);
  });

  it('names the person and the runtime, or how many there are', () => {
    expect(othersWorkText([WORK], trans)).toBe(
      'Ada Lind’s agent (Demo agent) is working in this document.'
    );
    expect(othersWorkText([WORK, { ...WORK, run_id: 's' }], trans)).toBe(
      '2 agents of other people are working in this document.'
    );
  });
});
