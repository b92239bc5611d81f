import type { ServerFrame } from '../../api/terminal';
import { isOvertaken, mayShare, maySteer, watchers, youControl, yourPlace } from './rules';
import { reduce, UNKNOWN, type ITerminalState } from './state';
import { turnVerbs } from './turns';

const ADA = { username: 'ada', display_name: 'Ada Lind' };
const BEN = { username: 'ben', display_name: 'Ben Okoro' };
const NOW = new Date('2026-11-21T14:41:00Z');

const hello = (change: object = {}): ServerFrame =>
  ({
    type: 'hello',
    grace_seconds: null,
    terminal: { id: 't', name: 'training', agent_title: null, run_id: null, recording: false },
    you: { ...ADA, can_execute: true, primary: true, may_manage: false },
    controller: ADA,
    requests: [],
    agent_state: null,
    size: { cols: 80, rows: 24 },
    viewers: [ADA, BEN],
    offset: 0,
    ...change
  }) as unknown as ServerFrame;

const after = (...frames: object[]): ITerminalState =>
  (frames as ServerFrame[]).reduce((state, frame) => reduce(state, frame, NOW), UNKNOWN);

const agent = (state: string | null, rest: object = {}) => ({
  type: 'agent_state',
  state,
  title: 'Codex',
  reason: '',
  by: null,
  since: null,
  code: null,
  signal: null,
  ...rest
});

describe('the state of a terminal', () => {
  it('knows when control ends to be kept, and forgets it when the controller is back', () => {
    const away = after(hello(), { type: 'controller_away', controller: ADA, grace_seconds: 10 });
    expect(away.keptUntil).toEqual(new Date('2026-11-21T14:41:10Z'));
    expect(reduce(away, { type: 'controller_back', controller: ADA }, NOW).keptUntil).toBeNull();
    const joined = after(hello({ controller: ADA, grace_seconds: 4 }));
    expect(joined.keptUntil).toEqual(new Date('2026-11-21T14:41:04Z'));
    const gone = reduce(away, { type: 'control_expired', reason: 'away' }, NOW);
    expect([gone.controller, gone.keptUntil]).toEqual([null, null]);
  });

  it('knows the place in line, and since when somebody asks', () => {
    const state = after(hello({ controller: BEN }), {
      type: 'control_requested',
      by: ADA,
      requests: [{ username: 'cleo', display_name: 'Cleo' }, ADA]
    });
    expect(yourPlace(state)).toBe(2);
    expect(state.askedAt.ada).toEqual(NOW);
    expect(watchers(state)).toEqual([ADA]);
  });

  it('remembers who refused until this person asks again or somebody else controls', () => {
    const denied = { type: 'control_denied', to: ADA, requests: [] };
    const refused = after(hello({ controller: BEN }), denied);
    expect(refused.refusedBy).toEqual(BEN);
    expect(after(hello({ controller: BEN }), { ...denied, to: BEN }).refusedBy).toBeNull();
    const asked = { type: 'control_requested', by: ADA, requests: [ADA] } as ServerFrame;
    expect(reduce(refused, asked, NOW).refusedBy).toBeNull();
    const taken = { type: 'control_taken', controller: ADA } as ServerFrame;
    expect(reduce(refused, taken, NOW).refusedBy).toBeNull();
  });

  it('follows a right that is taken and given back', () => {
    const state = after(hello(), { type: 'right', can_execute: false });
    expect(turnVerbs(state)).toEqual([]);
    expect(turnVerbs(reduce(state, { type: 'right', can_execute: true }, NOW))).toEqual([
      'release'
    ]);
  });

  it('overtakes a refusal when what it said is over', () => {
    const working = after(hello(), agent('running'));
    const answered = after(hello(), agent('running'), agent('waiting'));
    expect(isOvertaken('agent_running', working, working)).toBe(false);
    expect(isOvertaken('agent_running', working, answered)).toBe(true);
    expect(isOvertaken('busy', answered, answered)).toBe(false); // what only the server knows
  });

  it('knows when something ended, also where it comes later', () => {
    const ended_at = '2026-11-21T14:02:03Z';
    const at = new Date(ended_at);
    const stopped = after(hello({ agent_state: 'stopped' }), agent('stopped', { ended_at }));
    expect(stopped.agentEnd).toMatchObject({ at });
    const exited = after(hello(), { type: 'exited', code: 0, signal: null, ended_at });
    expect(exited.exited).toEqual({ code: 0, signal: null, at });
  });

  it('remembers how an agent ended, until another one comes', () => {
    const ended = after(hello(), agent('running'), agent('stopped', { code: 1, by: BEN }));
    expect(ended.agentEnd).toEqual({ code: 1, signal: null, at: NOW, by: BEN });
    expect(reduce(ended, hello({ agent_state: 'stopped' }), NOW).agentEnd).not.toBeNull();
    expect(reduce(ended, agent('running') as ServerFrame, NOW).agentEnd).toBeNull();
  });

  it('says that a screen was rebuilt, not that another one is shown', () => {
    const replay = (source: string, from: number, reset = true) => ({
      type: 'replay',
      source,
      from,
      until: from + 2048,
      reset,
      prelude: ''
    });
    expect(after(hello(), replay('shell', 500)).rebuilt).toBeNull();
    expect(after(hello(), replay('shell', 0), replay('agent', 9)).rebuilt).toBeNull();
    expect(after(hello(), replay('shell', 0), replay('shell', 9, false)).rebuilt).toBeNull();
    expect(after(hello(), replay('shell', 0), replay('shell', 9)).rebuilt).toMatchObject({
      bytes: 2048
    });
  });

  it('knows the folder and the recording', () => {
    const state = after(
      hello(),
      { type: 'cwd', path: '/home/ada' },
      { type: 'recording', on: true, recorded: true }
    );
    expect([state.cwd, state.recording, state.recorded]).toEqual(['/home/ada', true, true]);
  });

  it('lets the controller, the owner and administrators steer, and nobody who may not execute', () => {
    const you = (change: object) => ({ ...ADA, can_execute: true, primary: false, ...change });
    expect(maySteer(after(hello()))).toBe(true);
    expect(maySteer(after(hello({ controller: BEN, you: you({}) })))).toBe(false);
    expect(maySteer(after(hello({ controller: BEN, you: you({ may_manage: true }) })))).toBe(true);
    const reader = you({ may_manage: true, can_execute: false });
    expect(maySteer(after(hello({ controller: BEN, you: reader })))).toBe(false);
  });

  it('lets only whom the server names share it, if they may execute', () => {
    const you = (change: object) => ({ ...ADA, can_execute: true, primary: true, ...change });
    expect(mayShare(after(hello({ you: you({ may_share: true }) })))).toBe(true);
    expect(mayShare(after(hello({ you: you({ may_manage: true }) })))).toBe(false);
    const reader = you({ may_share: true, can_execute: false });
    expect(mayShare(after(hello({ you: reader })))).toBe(false);
    expect(mayShare(UNKNOWN)).toBe(false);
  });
});

describe('the verbs', () => {
  const viewer = after(hello({ controller: BEN }));
  const controller = after(hello());
  const asked = after(hello(), { type: 'control_requested', by: BEN, requests: [BEN] });
  const asking = after(hello({ controller: BEN, requests: [ADA] }));
  const reader = after(
    hello({ controller: null, you: { ...ADA, can_execute: false, primary: false } })
  );

  it.each([
    ['a viewer', viewer, ['request']],
    ['one who asks', asking, ['withdraw']],
    ['the controller', controller, ['release']],
    ['the controller who is asked', asked, ['release', 'give', 'deny']],
    ['a reader', reader, []],
    ['one whose terminal has ended', after(hello(), { type: 'exited', code: 0 }), []]
  ])('of %s', (_, state, verbs) => {
    expect(turnVerbs(state)).toEqual(verbs);
  });

  it('do not make one who asks the controller', () => {
    expect(youControl(asking)).toBe(false);
  });
});
