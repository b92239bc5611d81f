import type { CliSession } from '../../api/types';
import { PastSessionRoutes } from '../../api/pastSessionRoutes';
import { fakeServer, refusal, until } from '../../testing/fakes';
import { TimelineStore } from './timeline';

const SEARCH = 'GET sessions/b/matches?q=plot';

function page(total: number, branch = '') {
  const items = [{ id: 'e0', place: 0, kind: 'user' }];
  return { session: { id: 'b' }, health: null, items, total, branches: 1, branch, place: null };
}

function open(answers: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({
    'GET sessions/b/timeline?from=0&limit=100': page(9000),
    [SEARCH]: { places: [3, 40, 8000], is_complete: true },
    ...answers
  });
  const session = { id: 'b', entry: '', snippet: '' } as CliSession;
  const timeline = new TimelineStore(new PastSessionRoutes(server.client), session);
  return { ...server, timeline, search: timeline.search };
}

describe('TimelineSearch', () => {
  it('chooses the first match, then the next and the previous ones, around the ends', async () => {
    const { search, timeline } = open();
    await search.find(' plot ');
    const seen = [timeline.current?.place];
    for (const by of [1, 1, 1, -1, -1] as const) {
      search.step(by);
      seen.push(timeline.current?.place);
    }
    expect(seen).toEqual([3, 40, 8000, 3, 8000, 40]);
    expect(search.position).toBe(1);
    timeline.choose(41); // an error, for example
    expect(search.position).toBeNull();
    search.step(1);
    expect(search.position).toBe(2);
  });

  it('begins at the chosen entry, and stays there without a match', async () => {
    const { answers, search, timeline } = open();
    timeline.choose(41);
    await search.find('plot');
    expect(timeline.current?.place).toBe(8000);
    answers['GET sessions/b/matches?q=nothing'] = { places: [], is_complete: true };
    await search.find('nothing');
    search.step(1);
    expect([search.places, timeline.current?.place]).toEqual([[], 8000]);
    await search.find('  ');
    expect([search.q, search.places]).toEqual(['', null]);
  });

  it('takes no late answer of other words', async () => {
    let answer: (found: object) => void = () => undefined;
    const late = new Promise<{ json: unknown }>(resolve => {
      answer = json => resolve({ json });
    });
    const { search, timeline } = open({ 'GET sessions/b/matches?q=late': () => late });
    const first = search.find('late');
    await search.find('plot');
    answer({ places: [7], is_complete: true });
    await first;
    expect([search.places, timeline.current?.place]).toEqual([[3, 40, 8000], 3]);
  });

  it('says why there is no answer', async () => {
    const { search, timeline } = open({ [SEARCH]: refusal(400, 'invalid', 'Too long.') });
    await search.find('plot');
    expect([search.problem, search.places, timeline.current]).toEqual(['Too long.', null, null]);
  });

  it('takes the words of the list without another jump, and searches again when the session grows', async () => {
    const { answers, search, timeline } = open();
    await timeline.load();
    await search.take('plot');
    expect([search.places?.length, timeline.current]).toEqual([3, null]);
    answers[SEARCH] = { places: [3, 40, 8000, 9001], is_complete: true };
    await timeline.load();
    expect([search.places?.length, timeline.current]).toEqual([4, null]);
  });

  it('searches on the branch that is shown', async () => {
    const { search, timeline } = open({
      'GET sessions/b/timeline?around=e9&limit=100': { ...page(10, 'e9'), place: 9 },
      'GET sessions/b/matches?q=plot&branch=e9': { places: [9], is_complete: true }
    });
    await search.take('plot');
    await timeline.goTo('e9');
    await until(() => search.places?.length === 1);
    expect(search.position).toBe(0);
  });
});
