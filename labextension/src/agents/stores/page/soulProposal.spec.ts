import type { SoulProposal } from '../../../api/types';
import { fakeEvents, fakeServer, refusal, until } from '../../../testing/fakes';
import { AgentRoutes } from '../../../api/agentRoutes';
import { Drafts } from '../drafts';
import { EDITED_PROPOSAL, SoulProposals } from './soulProposal';

const PATH = 'agents/ada/proposal';

function aProposal(change: Partial<SoulProposal> = {}): SoulProposal {
  return {
    agent: 'ada',
    run_id: 'r',
    at: '2026-01-01T00:00:00Z',
    text: '# New\n',
    hash: 'h',
    present: '# Old\n',
    etag: 'e',
    stale: false,
    problem: '',
    ...change
  };
}

async function proposals(found: SoulProposal | null = aProposal()) {
  const server = fakeServer({ [`GET ${PATH}`]: { proposal: found } });
  const made = fakeEvents(server.client);
  const drafts = new Drafts();
  const store = new SoulProposals(new AgentRoutes(server.client), made.events, drafts, 'ada');
  await store.load();
  return { ...made, drafts, server, store };
}

describe('a proposed soul', () => {
  it('is read again after an event of its agent only', async () => {
    const { happen, server, store } = await proposals(null);
    expect(store.waiting).toBeNull();
    server.answers[`GET ${PATH}`] = { proposal: aProposal() };
    const before = server.requests.length;
    happen({ type: 'soul_proposed', agent: 'ben', run_id: 'r' });
    expect(server.requests).toHaveLength(before);
    happen({ type: 'soul_proposed', agent: 'ada', run_id: 'r' });
    await until(() => store.waiting !== null);
  });

  it('is accepted as the person has seen it', async () => {
    const { server, store } = await proposals();
    const seen = store.waiting!;
    server.answers[`GET ${PATH}`] = { proposal: null };
    server.answers[`POST ${PATH}`] = { proposal: null };
    await store.accept(seen);
    const sent = server.requests.find(({ line }) => line === `POST ${PATH}`);
    expect(sent?.body).toEqual({ decision: 'accept', hash: 'h', etag: 'e', text: null });
    expect(store.waiting).toBeNull();
  });

  it('stays, with the reason, where the server refuses', async () => {
    const { server, store } = await proposals();
    server.answers[`POST ${PATH}`] = refusal(409, 'conflict', 'It has changed.');
    await store.accept(store.waiting!);
    expect(store.refusal).toBe('It has changed.');
    expect(store.isBusy).toBe(false);
    expect(store.waiting?.hash).toBe('h');
    server.answers[`POST ${PATH}`] = { proposal: aProposal() };
    await store.compareAgain(store.waiting!);
    expect(store.refusal).toBeNull();
  });

  it('keeps what a person makes of it until it is saved or given up', async () => {
    const { drafts, server, store } = await proposals();
    store.edit(store.waiting!);
    store.edited!.write('# Mine\n');
    expect(drafts.unsaved).toEqual([EDITED_PROPOSAL]);
    server.answers[`POST ${PATH}`] = refusal(409, 'conflict', 'No.');
    await store.accept(store.waiting!, store.edited!.text);
    expect(store.edited?.text).toBe('# Mine\n');
    server.answers[`POST ${PATH}`] = { proposal: null };
    await store.accept(store.waiting!, store.edited!.text);
    expect(store.edited).toBeNull();
    store.edit(aProposal());
    store.stopEditing();
    expect(drafts.unsaved).toEqual([]);
  });
});
