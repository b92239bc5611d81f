import type { CliSession, MarkedEntry } from '../../api/types';
import { PastSessionRoutes } from '../../api/pastSessionRoutes';
import { fakeServer, refusal } from '../../testing/fakes';
import { TimelineStore } from './timeline';
import { markOf } from './timelineMarks';

const LIST = 'GET sessions/b/entries';
const CHANGE = 'PATCH sessions/b/entries';

function marked(entry: string, place: number | null, note = ''): MarkedEntry {
  return { entry, place, note, bookmarked: !note, kind: 'user', side: '', text: entry };
}

function page(first: number, branch = '') {
  const items = [0, 1].map(at => ({ id: `e${first + at}`, place: first + at, kind: 'user' }));
  return { session: { id: 'b' }, health: null, items, total: 9000, branches: 1, branch };
}

async function open() {
  const server = fakeServer({
    'GET sessions/b/timeline?from=0&limit=100': page(0),
    'GET sessions/b/timeline?around=old&limit=100': { ...page(5, 'end'), place: 6 },
    [LIST]: { items: [marked('e0', 0, 'look'), marked('e8000', 8000), marked('old', null)] },
    'GET sessions/b/entries?branch=end': { items: [marked('old', 6)] }
  });
  const session = { id: 'b', entry: '', snippet: '' } as CliSession;
  const timeline = new TimelineStore(new PastSessionRoutes(server.client), session);
  await timeline.load();
  const { marks } = timeline;
  const bodies = () => server.requests.filter(({ line }) => line === CHANGE).map(each => each.body);
  return { ...server, bodies, marks, timeline };
}

describe('TimelineMarks', () => {
  it('jumps to a mark, also far away and on another branch', async () => {
    const { marks, timeline } = await open();
    marks.open(marks.items![1]);
    expect(timeline.current).toEqual({ place: 8000 });
    marks.open(marks.items![2]);
    while (timeline.current?.place !== 6) {
      await new Promise(resolve => setTimeout(resolve, 1));
    }
    expect(timeline.outline?.branch).toBe('end');
  });

  it('shows a bookmark at once, and keeps what the server answers', async () => {
    const { answers, bodies, marks, timeline } = await open();
    answers[CHANGE] = { entry: 'e1', bookmarked: true, note: '' };
    answers[LIST] = { items: [marked('e1', 1)] };
    const changed = marks.toggle(markOf(timeline.entry(1)!));
    expect(timeline.entry(1)!.bookmarked).toBe(true);
    await changed;
    expect(bodies()).toEqual([{ entry: 'e1', bookmarked: true }]);
    expect(marks.items!.map(each => each.entry)).toEqual(['e1']);
  });

  it('reverts what the server refuses, and says why', async () => {
    const { answers, marks, timeline } = await open();
    answers[CHANGE] = refusal(403, 'not_allowed', 'You may not.');
    await marks.toggle(markOf(timeline.entry(1)!));
    expect([timeline.entry(1)!.bookmarked, marks.problem]).toEqual([false, 'You may not.']);
    await marks.write(marks.items![0], '');
    expect([marks.items!.length, marks.removed]).toEqual([3, null]);
    marks.dismiss();
    expect(marks.problem).toBeNull();
  });

  it('restores a note that was removed', async () => {
    const { answers, bodies, marks, timeline } = await open();
    answers[CHANGE] = { entry: 'e0', bookmarked: false, note: '' };
    answers[LIST] = { items: [] };
    await marks.write({ entry: 'e0', bookmarked: false, note: 'look' }, '  ');
    expect([marks.removed?.note, timeline.entry(0)!.note, marks.items]).toEqual(['look', '', []]);
    answers[CHANGE] = { entry: 'e0', bookmarked: false, note: 'look' };
    await marks.restore();
    await marks.restore();
    expect([marks.removed, timeline.entry(0)!.note]).toEqual([null, 'look']);
    expect(bodies()).toEqual([
      { entry: 'e0', note: '' },
      { entry: 'e0', note: 'look' }
    ]);
  });

  it('does not send a note that is as it was', async () => {
    const { bodies, marks } = await open();
    await marks.write(marks.items![0], ' look ');
    expect(bodies()).toEqual([]);
  });
});
