import { fakeServer } from '../../testing/fakes';
import { aRun, aSession } from '../../testing/samples';
import { choicesIn, newRun, openSessionFor } from './submission';

const CHOICES = {
  runtime: 'claude',
  model: null,
  permissionMode: 'ask' as const,
  isolate: null,
  headless: false
};
const WANTED = {
  path: 'a.md',
  instruction: 'x',
  attachments: [],
  session: 'session-1',
  paneSize: { cols: 60, rows: 20 },
  agent: null
};

describe('a new run', () => {
  it('has what was chosen, and leaves the rest to the server', () => {
    expect(newRun(CHOICES, WANTED)).toEqual({
      kind: 'editor',
      instruction: 'x',
      session_id: 'session-1',
      path: 'a.md',
      attachments: [],
      runtime: 'claude',
      permission_mode: 'ask',
      cols: 60,
      rows: 20
    });
    const nothing = { ...CHOICES, runtime: null, permissionMode: null };
    expect(Object.keys(newRun(nothing, { ...WANTED, paneSize: null }))).not.toContain('runtime');
  });

  it('is isolated where that was chosen, also in a session with another CLI', () => {
    expect(newRun({ ...CHOICES, isolate: true }, WANTED)).toHaveProperty('isolate', true);
    expect(newRun(CHOICES, WANTED)).not.toHaveProperty('isolate');
    const other = choicesIn(aSession({ runtime: 'codex' }, []), { ...CHOICES, isolate: true });
    expect(other.isolate).toBe(true);
  });

  it('leaves to a named agent what is its own', () => {
    const run = newRun({ ...CHOICES, model: 'opus', isolate: true }, { ...WANTED, agent: 'ada' });
    expect(run).toMatchObject({ session_id: 'session-1', cols: 60 });
    for (const field of ['runtime', 'model', 'permission_mode', 'isolate', 'agent']) {
      expect(run).not.toHaveProperty(field);
    }
  });

  it('has what was chosen only in a session with the chosen CLI', () => {
    const choices = { ...CHOICES, model: 'opus' };
    const [same, other] = ['claude', 'codex'].map(runtime =>
      choicesIn(aSession({ runtime }, [aRun({ permission_mode: 'edit' })]), choices)
    );
    expect(same).toEqual(choices);
    expect(other).toMatchObject({ runtime: null, model: null, permissionMode: 'edit' });
  });

  it('has no size where the runtime has no terminal', () => {
    const run = newRun({ ...CHOICES, headless: true, model: 'opus' }, WANTED);
    expect(run).toMatchObject({ mode: 'headless', model: 'opus' });
    expect(run).not.toHaveProperty('cols');
  });
});

describe('the session of a run', () => {
  const open = async (found: string[], isNew: boolean) => {
    const answers = [...found];
    const server = fakeServer({
      'POST editor/sessions': () => ({ json: aSession({ runtime: answers.shift() }) })
    });
    const wanted = { path: 'a.md', runtime: 'claude', isNew };
    const { session } = await openSessionFor(server.client, wanted);
    return { runtime: session.runtime, asked: server.requests.map(({ body }) => body) };
  };

  it('is the document’s open one', async () =>
    expect(await open(['claude'], false)).toEqual({
      runtime: 'claude',
      asked: [{ path: 'a.md', runtime: 'claude' }]
    }));

  it('is a new one where that is wanted', async () =>
    expect(await open(['claude'], true)).toEqual({
      runtime: 'claude',
      asked: [{ path: 'a.md', runtime: 'claude', new: true }]
    }));

  it('is a new one where the open one is of another runtime', async () =>
    expect(await open(['codex', 'claude'], false)).toEqual({
      runtime: 'claude',
      asked: [
        { path: 'a.md', runtime: 'claude' },
        { path: 'a.md', runtime: 'claude', new: true }
      ]
    }));
});
