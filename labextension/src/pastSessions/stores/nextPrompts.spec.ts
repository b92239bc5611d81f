import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { PastSessionStore } from './sessionList';

const POST = 'POST sessions/s/next-prompts';
const GET = 'GET sessions/s/next-prompts?run=r1';
const WORKING = { prompts: [], problem: '', is_final: false };
const ENDED = { prompts: ['Test it', 'Commit it'], problem: '', is_final: true };

function open(answers: Parameters<typeof fakeServer>[0]) {
  const given: Record<string, object> = {
    [POST]: { id: 'r1' },
    'POST runs/r1/cancel': {},
    ...answers
  };
  const server = fakeServer(given);
  const { events } = fakeEvents(server.client);
  const store = new PastSessionStore(server.client, events);
  store.open({ id: 's', runtime: 'pi', ended_at: 5 } as never);
  const { nextPrompts } = store.timeline!;
  const asked = () => server.requests.filter(({ line }) => line === POST).length;
  return { ...server, given, asked, nextPrompts, store };
}

describe('the next prompts of a session', () => {
  it('are read when their run has ended, and asked for once', async () => {
    const { asked, given, nextPrompts } = open({ [GET]: WORKING });
    await nextPrompts.ask();
    expect([nextPrompts.isWorking, nextPrompts.prompts]).toEqual([true, []]);
    given[GET] = ENDED;
    await nextPrompts.hear('another');
    expect(nextPrompts.isWorking).toBe(true);
    await nextPrompts.hear('r1');
    expect([nextPrompts.isWorking, nextPrompts.prompts]).toEqual([false, ['Test it', 'Commit it']]);
    await nextPrompts.ask();
    expect(asked()).toBe(1);
  });

  it('are asked for again when the session has grown', async () => {
    const { asked, nextPrompts, store } = open({ [GET]: ENDED });
    await nextPrompts.ask();
    store.timeline!.take({ ...store.timeline!.session, ended_at: 6 });
    await nextPrompts.ask();
    expect(asked()).toBe(2);
  });

  it('say why there are none', async () => {
    const none = open({ [GET]: { prompts: [], problem: 'Stopped by Ada.', is_final: true } });
    await none.nextPrompts.ask();
    expect(none.nextPrompts.problem).toBe('Stopped by Ada.');
    const refused = open({ [POST]: refusal(400, 'invalid', 'No answer yet.') });
    await refused.nextPrompts.ask();
    expect(refused.nextPrompts.problem).toBe('No answer yet.');
    expect(refused.nextPrompts.isWorking).toBe(false);
  });

  it('are asked for again after a refusal, and read again after events were missed', async () => {
    const { asked, given, nextPrompts } = open({ [POST]: refusal(503, 'unavailable', 'Away.') });
    await nextPrompts.ask();
    given[POST] = { id: 'r1' };
    given[GET] = WORKING;
    await nextPrompts.ask();
    expect([asked(), nextPrompts.isWorking, nextPrompts.problem]).toEqual([2, true, null]);
    given[GET] = ENDED;
    await nextPrompts.missed();
    expect(nextPrompts.prompts).toEqual(ENDED.prompts);
  });

  it('are kept when another request for them fails later', async () => {
    const { given, nextPrompts, requests } = open({ [GET]: WORKING });
    await nextPrompts.ask();
    let refuse = () => {};
    const answer = new Promise((_, reject) => (refuse = () => reject(new Error('Away.'))));
    given[GET] = () => answer;
    const late = nextPrompts.missed();
    await until(() => requests.filter(({ line }) => line === GET).length === 2);
    given[GET] = ENDED;
    await nextPrompts.hear('r1');
    refuse();
    await late;
    expect([nextPrompts.prompts, nextPrompts.problem]).toEqual([ENDED.prompts, null]);
  });

  it('can be stopped', async () => {
    const { nextPrompts, requests } = open({ [GET]: WORKING });
    await nextPrompts.stop();
    await nextPrompts.ask();
    await nextPrompts.stop();
    await until(() => requests.some(({ line }) => line === 'POST runs/r1/cancel'));
  });
});
