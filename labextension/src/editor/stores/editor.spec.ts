import { EventStream } from '../../api/events';
import type { Attachment, Run, SessionDetail } from '../../api/types';
import { aRun, aSession } from '../../testing/samples';
import { FakeSocket, fakeServer, until, type IFakeServer } from '../../testing/fakes';
import { ChoiceStore } from '../../runtimes/stores/choices';
import { RuntimeStore } from '../../runtimes/stores/runtimes';
import type { DraftStore } from './drafts';
import { documentOf } from './document';
import { EditorStore } from './editor';
import type { HistoryStore } from './history';
import { RunStore } from '../../runs/stores/runs';

interface IParts {
  server: IFakeServer;
  editor: EditorStore;
  runs: RunStore;
  drafts: DraftStore;
  history: HistoryStore;
  prepared: string[];
  happen: (event: object) => void;
}

async function parts(
  rows: { session: SessionDetail['session']; last_run: Run | null }[] = []
): Promise<IParts> {
  const capabilities = { permission_modes: ['ask', 'edit', 'bypass'], models: [] };
  const server = fakeServer({
    'GET editor/sessions': { items: rows.map(row => ({ ...row, runs: 1 })), next: null },
    'GET editor/sessions/session-1': aSession({ terminal_id: 'terminal-1' }, [aRun()]),
    'GET editor/sessions/session-2': aSession(
      { id: 'session-2', subject: { kind: 'document', path: 'two.md' } },
      [aRun({ id: 'run-2', session_id: 'session-2', path: 'two.md' })]
    ),
    'POST editor/sessions': aSession(),
    'POST runs': aRun({ state: 'queued' }),
    'GET runtimes': {
      items: [{ name: 'demo', title: 'Demo agent', found: true, is_default: true, capabilities }],
      next: null
    }
  });
  const { client } = server;
  const events = new EventStream(client);
  events.open();
  const socket = FakeSocket.last;
  socket.open();
  const runs = new RunStore(client, events);
  const runtimes = new RuntimeStore(client, events);
  await runtimes.load();
  const prepared: string[] = [];
  const editor = new EditorStore({
    client,
    events,
    runs,
    choices: new ChoiceStore(runtimes, null),
    username: () => 'ada',
    documents: {
      prepare: async path => {
        prepared.push(path);
        return !path.startsWith('refused');
      }
    }
  });
  await editor.reload();
  const { drafts, history } = editor;
  server.requests.length = 0;
  let seq = 0;
  const happen = (event: object) => socket.receive({ type: 'event', seq: ++seq, time: '', event });
  return { server, editor, runs, drafts, history, prepared, happen };
}

const PIECE: Attachment = { kind: 'selection', title: 'Selection, 1 line', text: 'x' };

const bodyOf = (server: IFakeServer, line: string) =>
  server.requests.filter(request => request.line === line).map(request => request.body);

describe('EditorStore', () => {
  it('runs an instruction in the document’s session, after the document was saved', async () => {
    const { server, editor, drafts, prepared } = await parts();
    await editor.setDocument('analysis.ipynb');
    drafts.write('analysis.ipynb', 'Add a cell');
    expect(await editor.submit('Add a cell', [])).toBe(true);
    expect(prepared).toEqual(['analysis.ipynb']);
    expect(bodyOf(server, 'POST editor/sessions')).toEqual([
      { path: 'analysis.ipynb', runtime: 'demo' }
    ]);
    expect(bodyOf(server, 'POST runs')).toMatchObject([
      {
        kind: 'editor',
        session_id: 'session-1',
        instruction: 'Add a cell',
        permission_mode: 'edit'
      }
    ]);
    expect(editor.view).toBe('session');
    expect(editor.run?.id).toBe('run-1');
    expect(drafts.get('analysis.ipynb').text).toBe('');
  });

  it('instructs a session without leaving what is shown, and tells why it was refused', async () => {
    const { server, editor, drafts, prepared } = await parts();
    await editor.setDocument('two.md');
    drafts.write('two.md', 'half an instruction');
    expect(await editor.instruct('session-1', 'analysis.ipynb', 'About line 3')).toBe(true);
    expect(prepared).toEqual(['analysis.ipynb']);
    expect(bodyOf(server, 'POST runs')).toMatchObject([
      { session_id: 'session-1', path: 'analysis.ipynb', instruction: 'About line 3' }
    ]);
    expect([editor.path, editor.view, editor.detail]).toEqual(['two.md', 'history', null]);
    expect(drafts.get('two.md').text).toBe('half an instruction');
    expect(await editor.instruct('session-1', 'refused.md', 'x')).toBe(false);
    const error = { kind: 'queue_full', message: 'All places are taken.', detail: {} };
    server.answers['POST runs'] = () => ({ status: 429, json: { error } });
    await expect(editor.instruct('session-1', 'analysis.ipynb', 'x')).rejects.toThrow(
      'All places are taken.'
    );
    expect(editor.notice).toBeNull();
  });

  it('starts nothing when the person does not want to save', async () => {
    const { server, editor } = await parts();
    await editor.setDocument('refused.md');
    expect(await editor.submit('x', [])).toBe(false);
    expect(bodyOf(server, 'POST runs')).toEqual([]);
  });

  it('asks for trust once, and does then what was refused', async () => {
    const { server, editor, drafts } = await parts();
    const error = { kind: 'not_trusted', message: 'no', detail: {} };
    server.answers['POST runs'] = () => ({ status: 403, json: { error } });
    server.answers['GET trust'] = { root: '/work', confirmed: false, hash: 'h1', policy: 'ask' };
    server.answers['POST trust'] = { root: '/work', confirmed: true, hash: 'h1', policy: 'ask' };
    await editor.setDocument('analysis.ipynb');
    drafts.write('analysis.ipynb', 'Add a cell');
    expect(await editor.submit('Add a cell', [])).toBe(false);
    expect(editor.notice).toMatchObject({ kind: 'trust', trust: { root: '/work' } });
    server.answers['POST runs'] = aRun();
    await editor.confirmTrust();
    expect(bodyOf(server, 'POST trust')).toEqual([{ hash: 'h1' }]);
    expect(editor.notice).toBeNull();
    expect(editor.run?.id).toBe('run-1');
    expect(drafts.get('analysis.ipynb').text).toBe('');
  });

  it('comes back to a session whose program is open', async () => {
    const { session } = aSession({ terminal_id: 'terminal-1' });
    const { editor } = await parts([{ session, last_run: aRun({ state: 'succeeded' }) }]);
    await editor.setDocument('analysis.ipynb');
    expect(editor.view).toBe('session');
    expect(editor.terminalId).toBe('terminal-1');
  });

  it('shows what works before what is open', async () => {
    const open = aSession({ terminal_id: 'terminal-1' });
    const working = aSession({ id: 'session-2' });
    const { editor } = await parts([
      { session: open.session, last_run: aRun({ state: 'succeeded' }) },
      { session: working.session, last_run: aRun({ session_id: 'session-2', state: 'waiting' }) }
    ]);
    await editor.setDocument('analysis.ipynb');
    expect(editor.detail?.session.id).toBe('session-2');
  });

  it('leaves the sessions of other documents where they are, also after all were listed', async () => {
    const { session } = aSession({ terminal_id: 'terminal-1' });
    const { editor, history } = await parts([{ session, last_run: aRun() }]);
    await editor.setDocument('features.py');
    await history.show({ scope: 'all' });
    expect(history.items).toHaveLength(1);
    await editor.setDocument('other.py');
    expect([editor.view, editor.detail, history.scope]).toEqual(['history', null, 'document']);
  });

  it('writes to the open document’s session, not to that of another one that is shown', async () => {
    const { server, editor } = await parts();
    await editor.setDocument('features.py');
    await editor.open('session-2');
    expect(editor.isForeign).toBe(true);
    server.answers['POST editor/sessions'] = aSession({
      subject: { kind: 'document', path: 'features.py' }
    });
    await editor.submit('x', []);
    expect(bodyOf(server, 'POST editor/sessions')).toEqual([
      { path: 'features.py', runtime: 'demo' }
    ]);
    expect(bodyOf(server, 'POST runs')).toMatchObject([
      { session_id: 'session-1', path: 'features.py' }
    ]);
  });

  it('brings two restored documents their own sessions each, in whatever order they come', async () => {
    const { session } = aSession();
    const two = aSession({
      id: 'session-2',
      subject: { kind: 'document', path: 'two.md' }
    }).session;
    const { editor } = await parts([
      { session, last_run: aRun() },
      { session: two, last_run: aRun({ session_id: 'session-2', path: 'two.md' }) }
    ]);
    void editor.setDocument('analysis.ipynb');
    void editor.setDocument('two.md');
    await editor.setDocument('analysis.ipynb');
    expect(editor.detail?.session.id).toBe('session-1');
    await editor.setDocument('two.md');
    expect(editor.detail?.session.id).toBe('session-2');
    const late = editor.open('session-1'); // the answer comes when its document is left
    await editor.setDocument('analysis.ipynb');
    await editor.setDocument('two.md');
    await late;
    expect(editor.detail?.session.id).toBe('session-2');
  });

  it('shows a run that this person began on another page, unless something else was chosen', async () => {
    const { editor, drafts, happen } = await parts();
    await editor.setDocument('analysis.ipynb');
    happen({ type: 'run_started', run: aRun({ owner: 'ben' }) });
    expect(editor.detail).toBeNull();
    drafts.write('analysis.ipynb', 'I am writing');
    happen({ type: 'run_updated', run: aRun() });
    expect(editor.detail).toBeNull();
    drafts.clear('analysis.ipynb');
    happen({ type: 'run_waiting', run: aRun({ state: 'waiting' }) });
    await until(() => editor.detail !== null);
    expect(editor.detail?.session.id).toBe('session-1');
    editor.showHistory();
    await editor.setDocument('two.md');
    await editor.setDocument('analysis.ipynb');
    expect(editor.view).toBe('history');
  });

  it('goes with a document that is renamed: its session, its draft and its place', async () => {
    const { drafts, editor } = await parts();
    await editor.setDocument('analysis.ipynb');
    await editor.open('session-1');
    drafts.write('analysis.ipynb', 'half an instruction');
    await editor.moved('analysis', 'nothing'); // only the beginning of its name
    await editor.moved('analysis.ipynb', 'done/report.ipynb');
    expect([editor.path, editor.view, editor.isForeign]).toEqual([
      'done/report.ipynb',
      'session',
      false
    ]);
    expect(drafts.get('done/report.ipynb').text).toBe('half an instruction');
    await editor.moved('done', 'archive');
    expect(editor.detail && documentOf(editor.detail.session)).toBe('archive/report.ipynb');
    await editor.setDocument('other.md');
    await editor.setDocument('archive/report.ipynb');
    expect(editor.detail?.session.id).toBe('session-1');
  });

  it('shows the history of a document where nothing is open', async () => {
    const { session } = aSession();
    const { editor } = await parts([{ session, last_run: aRun({ state: 'succeeded' }) }]);
    await editor.setDocument('analysis.ipynb');
    expect(editor.view).toBe('history');
  });

  it('follows its runs, also one that was typed into the program', async () => {
    const { editor, happen } = await parts();
    await editor.open('session-1');
    happen({ type: 'run_finished', run: aRun({ state: 'succeeded', duration_seconds: 3 }) });
    expect(editor.run?.state).toBe('succeeded');
    happen({ type: 'run_started', run: aRun({ id: 'run-2', instruction: 'typed' }) });
    expect(editor.run?.id).toBe('run-2');
    expect(editor.instructions).toEqual(['Add a cell', 'typed']);
    happen({ type: 'session_closed', session_id: 'session-1', reason: 'idle' });
    expect(editor.terminalId).toBeNull();
  });

  it('never takes a final state back because a late event says less', async () => {
    const { runs, happen } = await parts();
    happen({ type: 'run_finished', run: aRun({ state: 'failed' }) });
    runs.put(aRun({ state: 'running' }));
    expect(runs.get('run-1')?.state).toBe('failed');
    expect(runs.working).toEqual([]);
  });

  it('says nothing of a refusal at a document that was opened meanwhile', async () => {
    const { editor, server } = await parts();
    const error = { kind: 'conflict', message: 'It was refused.' };
    server.answers['POST runs'] = () => ({ status: 409, json: { error } });
    await editor.setDocument('analysis.ipynb');
    const refused = editor.submit('Add a cell', []);
    await editor.setDocument('other.md');
    expect(await refused).toBe(false);
    expect(editor.notice).toBeNull();
  });

  it('begins a new session when asked, and keeps what runs', async () => {
    const { server, editor } = await parts();
    await editor.setDocument('analysis.ipynb');
    await editor.open('session-1');
    editor.startFresh();
    expect(editor.detail).toBeNull();
    await editor.submit('Again', []);
    expect(bodyOf(server, 'POST editor/sessions')).toMatchObject([{ new: true }]);
  });

  it('begins a new session for another runtime', async () => {
    const { server, editor } = await parts();
    await editor.setDocument('analysis.ipynb');
    server.answers['POST editor/sessions'] = (body: unknown) => ({
      json: aSession({ runtime: (body as { new?: boolean }).new ? 'demo' : 'claude' })
    });
    await editor.submit('x', []);
    expect(bodyOf(server, 'POST editor/sessions')).toMatchObject([{}, { new: true }]);
  });

  it('knows of a run on another page', async () => {
    const { editor, happen } = await parts();
    await editor.setDocument('features.py');
    happen({ type: 'run_started', run: aRun() });
    expect(editor.elsewhere?.path).toBe('analysis.ipynb');
  });

  it('tells what went wrong and keeps the draft', async () => {
    const { server, editor, drafts } = await parts();
    const error = { kind: 'queue_full', message: 'All places are taken.', detail: {} };
    server.answers['POST runs'] = () => ({ status: 429, json: { error } });
    await editor.setDocument('analysis.ipynb');
    drafts.write('analysis.ipynb', 'x');
    expect(await editor.submit('x', [])).toBe(false);
    expect(editor.notice).toEqual({ kind: 'error', message: 'All places are taken.' });
    expect(drafts.get('analysis.ipynb').text).toBe('x');
  });

  it('passes over events it does not know', async () => {
    const { runs, happen } = await parts();
    happen({ type: 'from_the_future', run: aRun() });
    expect(runs.active).toEqual([]);
  });

  it('queues behind what works, and shows what works', async () => {
    const { server, editor, happen } = await parts();
    await editor.setDocument('analysis.ipynb');
    server.answers['GET editor/sessions/session-1'] = aSession({ terminal_id: 'terminal-1' }, [
      aRun({ state: 'running' })
    ]);
    await editor.open('session-1');
    expect(editor.willQueue).toBe(true);
    server.answers['POST runs'] = aRun({ id: 'run-2', number: 2, state: 'queued' });
    expect(await editor.submit('Next', [PIECE])).toBe(true);
    const third = aRun({ id: 'run-3', number: 3, state: 'queued' });
    happen({ type: 'run_queued', run: third });
    expect(editor.run?.id).toBe('run-1');
    expect(editor.queue.map(run => run.id)).toEqual(['run-2', 'run-3']);
    expect(editor.pages.map(run => run.id)).toEqual(['run-1']);
    happen({ type: 'run_updated', run: { ...third, ahead: 1, revision: 2 } });
    expect(editor.queue.map(run => run.id)).toEqual(['run-3', 'run-2']);
    happen({ type: 'run_finished', run: aRun({ state: 'cancelled' }) });
    expect(editor.activeRun?.id).toBe('run-3');
    expect(editor.run?.id).toBe('run-3');
    expect(editor.queue.map(run => run.id)).toEqual(['run-2']);
  });

  it('takes a queued instruction back with its pieces, before what is written', async () => {
    const { server, editor, drafts } = await parts();
    await editor.setDocument('analysis.ipynb');
    const queued = aRun({ id: 'run-2', state: 'queued', instruction: 'Next' });
    server.answers['POST runs'] = queued;
    server.answers['POST runs/run-2/cancel'] = { ...queued, state: 'cancelled' };
    await editor.submit('Next', [PIECE]);
    drafts.write('analysis.ipynb', 'And then');
    await editor.waiting.edit(queued, 'analysis.ipynb');
    expect(drafts.get('analysis.ipynb')).toEqual({
      text: 'Next\n\nAnd then',
      attachments: [PIECE]
    });
  });

  it('sends now and drops, and shows a refusal', async () => {
    const { server, editor } = await parts();
    const queued = aRun({ id: 'run-2', state: 'queued' });
    server.answers['POST runs/run-2/now'] = { ...queued, ahead: 1 };
    server.answers['POST runs/run-2/cancel'] = { ...queued, state: 'cancelled' };
    await editor.waiting.sendNow(queued);
    await editor.waiting.drop(queued);
    expect(server.requests.map(request => request.line)).toEqual([
      'POST runs/run-2/now',
      'POST runs/run-2/cancel'
    ]);
    expect(editor.notice).toBeNull();
    const error = { kind: 'not_allowed', message: 'Not yours.', detail: {} };
    server.answers['POST runs/run-2/cancel'] = () => ({ status: 403, json: { error } });
    await editor.waiting.drop(queued);
    expect(editor.notice).not.toBeNull();
  });
});
