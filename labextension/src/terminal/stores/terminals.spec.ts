import { nullTranslator } from '@jupyterlab/translation';

import { EventStream } from '../../api/events';
import type { Terminal } from '../../api/types';
import { FakeSocket, fakeServer, refusal, until } from '../../testing/fakes';
import { TerminalListStore, terminalSummary } from './terminals';

const trans = nullTranslator.load('jupyter_cabinet');
const ADA = { username: 'ada', display_name: 'Ada Lind' };

const terminal = (change: Partial<Terminal> = {}): Terminal => ({
  id: 't',
  name: 'training',
  owner: 'ada',
  visibility: 'server',
  program: 'shell',
  agent_title: null,
  agent_state: null,
  agent_since: null,
  run_id: null,
  controller: ADA,
  size: { cols: 80, rows: 24 },
  cwd: '/',
  created_at: '2026-11-21T10:00:00Z',
  exited: false,
  recording: false,
  recorded: false,
  ...change
});

describe('the list of terminals', () => {
  let list: TerminalListStore;
  let server: ReturnType<typeof fakeServer>;
  let seq = 0;
  const happen = (event: object) =>
    FakeSocket.last.receive({ type: 'event', seq: ++seq, at: '', event });

  beforeEach(async () => {
    const { client } = (server = fakeServer({
      'GET terminals': { items: [terminal()], next: null },
      'GET terminals/t': terminal(),
      'GET terminals/u': refusal(404, 'not_found', 'There is no such terminal.'),
      'GET terminals/v': refusal(503, 'unavailable', 'Cabinet is starting.')
    }));
    const events = new EventStream(client);
    list = new TerminalListStore(client, events, owner => owner === 'ben');
    events.open();
    FakeSocket.last.open();
    await until(() => list.items.length === 1);
  });

  it('follows what is opened, changed and closed', () => {
    happen({ type: 'terminal_opened', terminal: terminal({ id: 'u', name: 'psql' }) });
    expect(list.items.map(item => item.name)).toEqual(['psql', 'training']);
    happen({ type: 'terminal_changed', terminal: terminal({ exited: true }) });
    expect(list.get('t')?.exited).toBe(true);
    happen({ type: 'terminal_closed', terminal_id: 't', reason: '' });
    expect(list.items.map(item => item.id)).toEqual(['u']);
  });

  it('forgets what another person has made private, until it is shared again', () => {
    const hidden = { type: 'terminal_hidden', reason: 'Private.' };
    happen({ ...hidden, terminal_id: 't', owner: 'ben' });
    expect(list.get('t')).toBeDefined(); // our own: how it is now comes next
    happen({ ...hidden, terminal_id: 't', owner: 'ada' });
    expect(list.items).toEqual([]);
    happen({ type: 'terminal_changed', terminal: terminal() });
    expect(list.get('t')?.visibility).toBe('server');
  });

  it('changes who may see a terminal, and rejects where the server refuses', async () => {
    server.answers['PATCH terminals/t'] = terminal({ visibility: 'private' });
    await list.setVisibility('t', 'private');
    expect(list.get('t')?.visibility).toBe('private');
    expect(server.requests.at(-1)?.body).toEqual({ visibility: 'private' });
    server.answers['PATCH terminals/t'] = refusal(403, 'not_allowed', 'Only its owner may.');
    await expect(list.setVisibility('t', 'server')).rejects.toThrow('Only its owner may.');
  });

  it('lists names as people expect them, with numbers by their value', () => {
    ['Terminal 10', 'terminal 2', 'Terminal 1'].forEach((name, index) =>
      happen({ type: 'terminal_opened', terminal: terminal({ id: `n${index}`, name }) })
    );
    expect(list.items.map(item => item.name)).toEqual([
      'Terminal 1',
      'terminal 2',
      'Terminal 10',
      'training'
    ]);
  });

  it('knows which terminals are gone, and which the server cannot report', async () => {
    const gone = await Promise.all(['t', 'u', 'v'].map(id => list.isGone(id)));
    expect(gone).toEqual([false, true, false]);
    expect(server.requests.map(({ line }) => line)).toContain('GET terminals/u');
  });

  it('follows who controls', () => {
    happen({ type: 'turn_changed', terminal_id: 't', controller: null, why: 'control_revoked' });
    expect(list.get('t')?.controller).toBeNull();
    happen({ type: 'turn_changed', terminal_id: 'unknown', controller: ADA, why: 'x' });
    expect(list.items).toHaveLength(1);
  });
});

describe('a terminal in a line', () => {
  const say = (change: Partial<Terminal>, username = 'ada') =>
    terminalSummary(terminal(change), username, trans);

  it('says who controls and what the agent does', () => {
    expect(say({ agent_state: 'running', agent_title: 'Claude Code' })).toBe(
      'You control, Claude Code running'
    );
    expect(say({}, 'ben')).toBe('Ada controls');
    expect(say({ controller: null })).toBe('Nobody controls');
    expect(say({ exited: true })).toBe('Ended');
  });
});
