/** @jest-environment node */
import { EventStream } from '../../api/events';
import type { Attachment } from '../../api/types';
import { ConnectionStore } from '../../shared/connection';
import { fakeServer } from '../../testing/fakes';
import { DraftStore } from './drafts';
import type { DraftStorage } from './keptDrafts';

const piece = (kind: Attachment['kind'], text: string): Attachment => ({ kind, title: kind, text });

describe('DraftStore', () => {
  it('keeps what is written for each document, and for none', () => {
    const drafts = new DraftStore();
    drafts.write('a.md', 'one');
    drafts.write(null, 'two');
    expect([drafts.get('a.md').text, drafts.get('b.md').text, drafts.get(null).text]).toEqual([
      'one',
      '',
      'two'
    ]);
  });

  it('announces a change, and not the same text again', () => {
    const drafts = new DraftStore();
    const told = jest.fn();
    drafts.changed.connect(told);
    drafts.write('a.md', 'one');
    drafts.write('a.md', 'one');
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('has one attachment of each kind, the newest', () => {
    const drafts = new DraftStore();
    drafts.attach('a.md', piece('selection', 'old'));
    drafts.attach('a.md', piece('cell', 'c'));
    drafts.attach('a.md', piece('selection', 'new'));
    expect(drafts.get('a.md').attachments.map(({ text }) => text)).toEqual(['c', 'new']);
    drafts.detach('a.md', 'cell');
    expect(drafts.get('a.md').attachments.map(({ text }) => text)).toEqual(['new']);
  });

  it('forgets text and attachments of one document when they are sent', () => {
    const drafts = new DraftStore();
    drafts.write('a.md', 'one');
    drafts.attach('a.md', piece('cell', 'c'));
    drafts.write('b.md', 'two');
    drafts.clear('a.md');
    expect(drafts.get('a.md')).toEqual({ text: '', attachments: [] });
    expect(drafts.get('b.md').text).toBe('two');
  });

  it('goes with a folder that is renamed', () => {
    const drafts = new DraftStore();
    drafts.write('data/a.md', 'one');
    drafts.moved('data', 'old');
    expect([drafts.get('data/a.md').text, drafts.get('old/a.md').text]).toEqual(['', 'one']);
  });
});

/** A browser's storage, over reloads of the page. */
function browser(): DraftStorage & { items: Map<string, string> } {
  const items = new Map<string, string>();
  return {
    items,
    getItem: key => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: key => void items.delete(key)
  };
}

const healthOf = (username: string) => ({ you: { username } });

/** A page of this person, whose name the server has told already. */
async function page(storage: DraftStorage, username = 'ada', key = 'drafts:/') {
  const { answers, client } = fakeServer({ 'GET health': healthOf(username) });
  const connection = new ConnectionStore(client, new EventStream(client).socket);
  const drafts = new DraftStore();
  drafts.keep(connection, storage, key);
  await connection.load();
  const logIn = async (name: string) => {
    answers['GET health'] = healthOf(name);
    await connection.load();
  };
  return { drafts, logIn };
}

describe('DraftStore in a browser', () => {
  it('has the text of each document again after a reload', async () => {
    const storage = browser();
    const { drafts } = await page(storage);
    drafts.write('a.md', 'one');
    drafts.attach('a.md', piece('cell', 'c'));
    drafts.write(null, 'none');
    drafts.write('folder/b.md', 'two');
    drafts.moved('folder', 'moved');
    const { drafts: again } = await page(storage);
    expect(again.get('a.md')).toEqual({ text: 'one', attachments: [] });
    expect([again.get(null).text, again.get('moved/b.md').text]).toEqual(['none', 'two']);
    expect(again.get('folder/b.md').text).toBe('');
  });

  it('keeps nothing of what was sent or emptied', async () => {
    const storage = browser();
    const { drafts } = await page(storage);
    drafts.write('a.md', 'one');
    drafts.write('b.md', 'two');
    drafts.clear('a.md');
    drafts.write('b.md', '');
    expect(storage.items.size).toBe(0);
  });

  it('shows nobody what somebody else has written, or what was written on another server', async () => {
    const storage = browser();
    const { drafts, logIn } = await page(storage);
    drafts.write('a.md', 'of Ada');
    await logIn('bob');
    expect(drafts.get('a.md').text).toBe('');
    drafts.write('a.md', 'of Bob');
    expect((await page(storage)).drafts.get('a.md').text).toBe('of Ada');
    expect((await page(storage, 'bob')).drafts.get('a.md').text).toBe('of Bob');
    expect((await page(storage, 'ada', 'drafts:/other/')).drafts.get('a.md').text).toBe('');
  });

  it('prefers what was written before the person was known', async () => {
    const storage = browser();
    (await page(storage)).drafts.write('a.md', 'old');
    const { client } = fakeServer({ 'GET health': healthOf('ada') });
    const connection = new ConnectionStore(client, new EventStream(client).socket);
    const drafts = new DraftStore();
    drafts.keep(connection, storage, 'drafts:/');
    drafts.write('a.md', 'new');
    await connection.load();
    expect(drafts.get('a.md').text).toBe('new');
    expect((await page(storage)).drafts.get('a.md').text).toBe('new');
  });

  it('keeps what two pages write, and the newest thirty', async () => {
    const storage = browser();
    const [{ drafts: one }, { drafts: two }] = [await page(storage), await page(storage)];
    one.write('a.md', 'one');
    two.write('b.md', 'two');
    const { drafts } = await page(storage);
    expect([drafts.get('a.md').text, drafts.get('b.md').text]).toEqual(['one', 'two']);
    for (let number = 0; number < 29; number++) {
      one.write(`${number}.md`, 'x');
    }
    const { drafts: last } = await page(storage);
    expect([last.get('a.md').text, last.get('b.md').text]).toEqual(['', 'two']);
    one.write('long.md', 'x'.repeat(199_990));
    const { drafts: full } = await page(storage);
    expect([full.get('long.md').text.length, full.get('b.md').text]).toEqual([199_990, '']);
  });

  it('does without a storage that is full, forbidden or damaged', async () => {
    const fail = () => {
      throw new Error('QuotaExceededError');
    };
    const { drafts } = await page({ getItem: fail, setItem: fail, removeItem: fail });
    drafts.write('a.md', 'one');
    expect(drafts.get('a.md').text).toBe('one');
    for (const saved of ['{', '{"a.md": "one"}', '[["a.md"], ["b.md", 1], 3]']) {
      const storage = browser();
      storage.items.set('drafts:/:ada', saved);
      expect((await page(storage)).drafts.get('b.md').text).toBe('');
    }
  });
});
