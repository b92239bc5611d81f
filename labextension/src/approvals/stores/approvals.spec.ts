import { EventStream } from '../../api/events';
import type { Approval } from '../../api/types';
import { anApproval } from '../../testing/samples';
import { FakeSocket, fakeServer, until, type IFakeServer } from '../../testing/fakes';
import { ApprovalStore } from './approvals';

const page = (approvals: Approval[], may_answer = true, next: string | null = null) => ({
  items: approvals.map(approval => ({ approval, may_answer, server: '' })),
  next
});

async function open(answers: IFakeServer['answers']) {
  const server = fakeServer({
    'GET approvals?state=closed&limit=50': page([]),
    'GET approvals?state=waiting&limit=200': page([]),
    ...answers
  });
  const events = new EventStream(server.client);
  const store = new ApprovalStore(server.client, events);
  const asked: string[] = [];
  const over: string[] = [];
  store.asked.connect((_, { approval }) => void asked.push(approval.id));
  store.over.connect((_, approval) => void over.push(approval.id));
  events.open();
  FakeSocket.last.open();
  await until(() => store.loaded);
  let seq = 0;
  const happen = (event: object) =>
    FakeSocket.last.receive({ type: 'event', seq: ++seq, event, at: '' });
  const reconnect = () => {
    FakeSocket.last.drop();
    events.socket.retryNow();
    FakeSocket.last.open();
  };
  return { server, store, asked, over, happen, reconnect };
}

const WAITING = 'GET approvals?state=waiting&limit=200';

describe('ApprovalStore', () => {
  it('knows those that wait for this person, for others, and the closed ones', async () => {
    const { store, asked } = await open({
      [WAITING]: {
        items: [
          {
            approval: anApproval({ id: 'old', number: 1, asked_at: '2026-11-21T10:01:00Z' }),
            may_answer: true,
            server: ''
          },
          {
            approval: anApproval({ id: 'new', number: 2, asked_at: '2026-11-21T08:01:00Z' }),
            may_answer: true,
            server: ''
          },
          { approval: anApproval({ id: 'theirs' }), may_answer: false, server: '' }
        ],
        next: null
      },
      'GET approvals?state=closed&limit=50': page([anApproval({ id: 'gone', state: 'answered' })])
    });
    expect(store.mine.map(({ approval }) => approval.id)).toEqual(['new', 'old']);
    expect(store.others.map(({ approval }) => approval.id)).toEqual(['theirs']);
    expect(store.closed.map(({ id }) => id)).toEqual(['gone']);
    expect(asked.sort()).toEqual(['new', 'old', 'theirs']);
  });

  it('reads who may answer when somebody asks, and closes with the news', async () => {
    const { server, store, over, happen } = await open({});
    server.answers[WAITING] = page([anApproval()]);
    happen({ type: 'approval_requested', approval: anApproval() });
    await until(() => store.mine.length === 1);
    happen({
      type: 'approval_closed',
      approval: anApproval({ state: 'answered', option: 'allow' })
    });
    expect(store.mine).toEqual([]);
    expect(store.closed).toHaveLength(1);
    expect(over).toEqual(['approval-1']);
  });

  it('does not open a closed question again for a late reading', async () => {
    const { server, store, happen } = await open({});
    server.answers[WAITING] = () => {
      happen({ type: 'approval_closed', approval: anApproval({ state: 'answered' }) });
      return { json: page([anApproval()]) };
    };
    happen({ type: 'approval_requested', approval: anApproval() });
    await until(() => store.closed.length === 1);
    expect(store.waiting).toEqual([]);
  });

  it('learns after a break how a question was answered', async () => {
    const { server, store } = await open({ [WAITING]: page([anApproval()]) });
    server.answers[WAITING] = page([]);
    server.answers['GET approvals/approval-1'] = anApproval({ state: 'expired' });
    await store.load();
    expect(store.waiting).toEqual([]);
    expect(store.closed).toMatchObject([{ state: 'expired' }]);
  });

  it('answers once, with the note', async () => {
    const { server, store } = await open({ [WAITING]: page([anApproval()]) });
    server.answers['POST approvals/approval-1'] = anApproval({ state: 'answered', option: 'deny' });
    const both = [store.answer('approval-1', 'deny', 'no'), store.answer('approval-1', 'allow')];
    expect(store.isAnswering('approval-1')).toBe(true);
    expect(await Promise.all(both)).toEqual([true, false]);
    const sent = server.requests.filter(({ line }) => line.startsWith('POST'));
    expect(sent).toEqual([
      {
        line: 'POST approvals/approval-1',
        body: { option: 'deny', note: 'no', shown: expect.anything() as object }
      }
    ]);
    const { title, parts, folder } = anApproval();
    expect(sent[0].body).toMatchObject({ shown: { title, parts, folder } });
    expect(store.waiting).toEqual([]);
  });

  it('keeps why an answer came too late, and reads whose it was', async () => {
    const { server, store } = await open({ [WAITING]: page([anApproval()]) });
    const message = 'This question is no longer open. Allowed once by Ada.';
    server.answers['POST approvals/approval-1'] = () => ({
      status: 409,
      json: { error: { kind: 'conflict', message } }
    });
    server.answers['GET approvals/approval-1'] = anApproval({ state: 'answered' });
    expect(await store.answer('approval-1', 'deny')).toBe(false);
    expect(store.refusals.get('approval-1')).toBe(message);
    expect(store.closed).toHaveLength(1);
    store.dismiss('approval-1');
    expect(store.refusals.size).toBe(0);
  });

  it('pages through the closed ones and keeps those of a run apart', async () => {
    const { server, store } = await open({
      'GET approvals?state=closed&limit=50': page(
        [anApproval({ id: 'b', state: 'answered' })],
        false,
        'b'
      )
    });
    server.answers['GET approvals?run_id=run-9&limit=50'] = page([
      anApproval({ id: 'far', run_id: 'run-9', question_id: 'q9', state: 'answered' })
    ]);
    await store.loadRun('run-9');
    await store.loadRun('run-9');
    expect(store.ofQuestion('run-9', 'q9')?.id).toBe('far');
    expect(store.closed.map(({ id }) => id)).toEqual(['b']);
    server.answers['GET approvals?state=closed&limit=50&cursor=b'] = page([
      anApproval({ id: 'a', state: 'answered', closed_at: '2026-11-20T10:00:00Z' })
    ]);
    await store.loadOlder();
    expect(store.closed.map(({ id }) => id).sort()).toEqual(['a', 'b']);
    expect(store.older).toBeNull();
    expect(server.requests.filter(({ line }) => line.includes('run-9'))).toHaveLength(1);
  });

  it('asks for the questions of a run again after a break', async () => {
    const { server, store, reconnect } = await open({
      'GET approvals?run_id=run-9&limit=50': page([])
    });
    await store.loadRun('run-9');
    server.answers['GET approvals?run_id=run-9&limit=50'] = page([
      anApproval({ id: 'far', run_id: 'run-9', question_id: 'q9', state: 'answered' })
    ]);
    reconnect();
    await store.loadRun('run-9');
    expect(store.ofQuestion('run-9', 'q9')?.id).toBe('far');
  });

  it('reads all that wait, however many', async () => {
    const { store } = await open({
      [WAITING]: page([anApproval({ id: 'b' })], true, 'b'),
      [`${WAITING}&cursor=b`]: page([anApproval({ id: 'a' })])
    });
    expect(store.mine.map(({ approval }) => approval.id).sort()).toEqual(['a', 'b']);
  });

  it('says when it may not read', async () => {
    const { server, store } = await open({});
    server.answers['GET approvals?state=closed&limit=50'] = () => ({
      status: 403,
      json: { error: { kind: 'not_allowed', message: 'No.' } }
    });
    await store.load();
    expect(store.forbidden).toBe(true);
    expect(store.problem).toBe('No.');
  });
});
