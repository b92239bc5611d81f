import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { RecordingStore } from './recording';

const HEADER = JSON.stringify({ version: 2, width: 80, height: 24 });
const cast = (text: string) => `${HEADER}\n${JSON.stringify([1, 'o', text])}\n`;
const about = (...numbers: number[]) => ({
  id: 'r',
  name: 'training',
  dropped_parts: 0,
  parts: numbers.map(number => ({ number, seconds: 2, bytes: 10 }))
});
const part = (number: number) => `GET terminals/r/recording?part=${number}`;

function open(...numbers: number[]) {
  const server = fakeServer({
    'GET recordings/r': about(...numbers),
    ...Object.fromEntries(
      numbers.map(number => [part(number), () => ({ json: cast(`${number}`) })])
    )
  });
  const stream = fakeEvents(server.client);
  const store = new RecordingStore(server.client, stream.events, 'r');
  const texts = () => store.timeline.events.map(({ data }) => data);
  return { server, store, texts, ...stream };
}

describe('RecordingStore', () => {
  it('can be played from its first part on, while the others come', async () => {
    const { store, texts } = open(0, 1);
    const seen: string[] = [];
    store.changed.connect(() => seen.push(`${texts().join('')} ${store.isLoading}`));
    await store.load();
    expect(seen).toEqual([' true', '0 true', '01 true', '01 false']);
    expect(store.timeline.seconds).toBe(4);
    expect(store.recording?.name).toBe('training');
  });

  it('reads what was recorded since, and takes nothing back meanwhile', async () => {
    const { server, store, texts, happen } = open(0);
    await store.load();
    server.answers['GET recordings/r'] = about(0, 1);
    server.answers[part(1)] = () => ({ json: cast('1') });
    const seen = new Set<string>();
    store.changed.connect(() => seen.add(texts().join('')));
    happen({ type: 'recording_closed', recording: { id: 'r' } });
    await until(() => texts().length === 2);
    expect([...seen]).toEqual(['0', '01']);
  });

  it('does not mind the end of another recording', async () => {
    const { server, store, happen } = open(0);
    await store.load();
    const before = server.requests.length;
    happen({ type: 'recording_closed', recording: { id: 'other' } });
    expect(server.requests.length).toBe(before);
  });

  it('says why it cannot be played, and recovers', async () => {
    const { server, store } = open(0);
    const known = server.answers['GET recordings/r'];
    server.answers['GET recordings/r'] = refusal(404, 'not_found', 'No such recording.');
    await store.load();
    expect([store.problem, store.isLoading]).toEqual(['No such recording.', false]);
    server.answers['GET recordings/r'] = known;
    await store.load();
    expect([store.problem, store.timeline.parts.length]).toEqual([null, 1]);
  });

  it('keeps the parts that came before one that does not', async () => {
    const { server, store, texts } = open(0, 1);
    server.answers[part(1)] = refusal(410, 'gone', 'The part is gone.');
    await store.load();
    expect([texts(), store.problem]).toEqual([['0'], 'The part is gone.']);
  });

  it('is overtaken by a later reading', async () => {
    const { server, store, texts } = open(0);
    const late = store.load();
    server.answers['GET recordings/r'] = about(0, 1);
    server.answers[part(1)] = () => ({ json: cast('1') });
    await Promise.all([late, store.load()]);
    expect([texts(), store.isLoading]).toEqual([['0', '1'], false]);
  });

  it('tells nothing any more when its player is gone', async () => {
    const { store } = open(0);
    const told = jest.fn();
    const load = store.load();
    store.changed.connect(told);
    store.dispose();
    await load;
    expect(told).not.toHaveBeenCalled();
  });
});
