import { nullTranslator } from '@jupyterlab/translation';

import { ApiError } from '../../../api/client';
import { RunStore } from '../../../runs/stores/runs';
import { fakeEvents, fakeServer, refusal } from '../../../testing/fakes';
import { EditedText } from '../editedText';
import { AgentPage } from './page';
import { FileVersions } from './fileVersions';
import { whyNotShared } from './steeringFiles';

/** A server's file of which each save makes a version. */
function fileOf(...texts: string[]) {
  const etagOf = (text: string) => `etag of ${text}`;
  const state = { text: texts[0], refusal: '' };
  const kept = [...texts];
  const version = (text: string, index: number) => ({
    id: String(index),
    saved: '2026-10-01T08:00:00Z',
    by: 'Ada',
    size: text.length,
    from_template: false,
    etag: etagOf(text)
  });
  const write = (text: string, etag: string) => {
    if (state.refusal || etag !== etagOf(state.text)) {
      const status = state.refusal ? 400 : 409;
      return Promise.reject(new ApiError(status, 'refused', state.refusal, {}));
    }
    state.text = text;
    kept.push(text);
    return Promise.resolve({ etag: etagOf(text) });
  };
  const read = () => Promise.resolve({ text: state.text, etag: etagOf(state.text) });
  const edited = new EditedText({ read, write });
  const versions = new FileVersions(
    {
      list: () => Promise.resolve({ items: kept.map(version).reverse() }),
      read: id => Promise.resolve({ ...version(kept[+id], +id), text: kept[+id] })
    },
    edited
  );
  return { edited, kept, state, versions };
}

async function opened() {
  const made = fileOf('first');
  await made.edited.look();
  made.edited.edit('second');
  await made.edited.save();
  await made.versions.load();
  return made;
}

it('restores a version by an ordinary save, which makes another version', async () => {
  const { edited, kept, state, versions } = await opened();
  expect(versions.items?.map(each => versions.isSaved(each))).toEqual([true, false]);
  await versions.choose('0');
  expect([versions.chosen?.text, edited.saved]).toEqual(['first', 'second']);
  await versions.restore();
  expect([state.text, edited.draft, edited.isDirty]).toEqual(['first', 'first', false]);
  expect(kept).toEqual(['first', 'second', 'first']);
  expect(versions.chosen).toBeNull();
  expect(versions.items).toHaveLength(3);
});

it('restores nothing over what was not saved', async () => {
  const { edited, state, versions } = await opened();
  await versions.choose('0');
  edited.edit('mine');
  expect(versions.mayRestore).toBe(false);
  await versions.restore();
  expect([state.text, edited.draft]).toEqual(['second', 'mine']);
});

it('restores nothing over what somebody else has saved meanwhile', async () => {
  const { edited, state, versions } = await opened();
  await versions.choose('0');
  state.text = 'theirs';
  await versions.restore();
  expect(state.text).toBe('theirs');
  expect([edited.draft, edited.theirs?.text]).toEqual(['first', 'theirs']);
});

it('leaves a version that is refused in the editor, with the reason', async () => {
  const { edited, state, versions } = await opened();
  await versions.choose('0');
  state.refusal = 'budget must not be negative.';
  await versions.restore();
  expect([edited.problem, edited.draft]).toEqual(['budget must not be negative.', 'first']);
  edited.revert();
  expect(edited.draft).toBe('second');
});

it('says why the file that every agent receives is read only', () => {
  const trans = nullTranslator.load('');
  const who = { online: true, mayRun: true, username: 'ben', ownsAll: false, mayPauseAll: false };
  expect(whyNotShared(who, trans)).toContain('only an administrator');
  expect(whyNotShared({ ...who, ownsAll: true }, trans)).toBeNull();
  expect(whyNotShared({ ...who, online: false, ownsAll: true }, trans)).not.toBeNull();
});

describe('a file that steers an agent', () => {
  const saved = { path: 'x', etag: 'new' };

  function page(answers: Parameters<typeof fakeServer>[0]) {
    const server = fakeServer(answers);
    const { events } = fakeEvents(server.client);
    return {
      page: new AgentPage(server.client, events, new RunStore(server.client, events), 'ada'),
      server
    };
  }

  it('is begun by the first save, where it is not there', async () => {
    const made = page({
      'GET agents/ada/files/TOOLS.md': () => ({
        status: 404,
        json: { error: { kind: 'not_found', message: 'No file.', detail: { field: 'path' } } }
      }),
      'PUT agents/ada/files/TOOLS.md': saved
    });
    const text = made.page.steeringFile('TOOLS.md');
    await text.look();
    expect([text.saved, text.etag, text.problem]).toEqual(['', '', null]);
    text.edit('A printer.');
    await text.save();
    const put = made.server.requests.find(({ line }) => line.startsWith('PUT'));
    expect(put?.body).toEqual({ text: 'A printer.', etag: null });
    expect(text.isDirty).toBe(false);
  });

  it('is not begun where the agent itself is gone', async () => {
    const { page: made } = page({
      'GET agents/ada/files/TOOLS.md': refusal(404, 'not_found', 'There is no such agent.')
    });
    const text = made.steeringFile('TOOLS.md');
    await text.look();
    expect([text.saved, text.problem]).toEqual([null, 'There is no such agent.']);
  });

  it('keeps its draft and its versions with the page, and USER.md is that of all agents', async () => {
    const { page: made, server } = page({
      'GET user-file': { path: 'USER.md', text: 'Ada works mornings.', etag: 'old' },
      'PUT user-file': saved,
      'GET user-file/versions': { items: [] }
    });
    const text = made.steeringFile('USER.md');
    await text.look();
    text.edit('Ada works evenings.');
    expect(made.drafts.unsaved).toEqual(['USER.md']);
    expect(made.steeringFile('USER.md')).toBe(text);
    expect(made.versions('USER.md')).toBe(made.versions('USER.md'));
    await text.save();
    await made.versions('USER.md').load();
    expect(server.requests.at(-1)?.line).toBe('GET user-file/versions');
    expect(made.steeringFile('persona.md')).toBe(made.persona());
    expect(made.steeringFile('memory/MEMORY.md')).toBe(made.file('memory/MEMORY.md'));
  });

  it('confirms the rules of the team by saving them, also as they are', async () => {
    const { page: made, server } = page({
      'GET protocol-file': { path: 'PROTOCOL.md', text: 'Obey.', etag: 'old', confirmed: false },
      'PUT protocol-file': saved,
      'GET protocol-file/versions': { items: [] }
    });
    const text = made.steeringFile('PROTOCOL.md');
    expect(made.isProtocolConfirmed).toBeNull();
    await text.look();
    expect([made.isProtocolConfirmed, text.saved]).toEqual([false, 'Obey.']);
    await text.save();
    expect(made.isProtocolConfirmed).toBe(true);
    expect(server.requests.at(-1)).toMatchObject({
      line: 'PUT protocol-file',
      body: { text: 'Obey.', etag: 'old' }
    });
    await made.versions('PROTOCOL.md').load();
    expect(server.requests.at(-1)?.line).toBe('GET protocol-file/versions');
    expect(made.steeringFile('PROTOCOL.md')).toBe(text);
  });

  it('asks nobody to confirm rules that do not exist', async () => {
    const { page: made } = page({
      'GET protocol-file': refusal(404, 'not_found', 'There is none.', { field: 'path' })
    });
    await made.steeringFile('PROTOCOL.md').look();
    expect(made.isProtocolConfirmed).toBe(true);
  });
});
