import { nullTranslator } from '@jupyterlab/translation';

import { REBUILT_MS, stripInLine, terminalStrips } from './strips';
import type { IStripView } from './strip';
import { UNKNOWN, type ITerminalState } from './state';
import { agentLabel, controllerLabel, refusalText, requestedLabel } from './labels';

const trans = nullTranslator.load('jupyter_cabinet');
const ADA = { username: 'ada', display_name: 'Ada Lind' };
const BEN = { username: 'ben', display_name: 'Ben Okoro' };
const NOW = new Date(2026, 10, 21, 14, 41, 30);
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

const YOU = { ...BEN, can_execute: true, primary: true, may_manage: false, may_share: false };
const yours: ITerminalState = { ...UNKNOWN, you: YOU, controller: BEN, viewers: [BEN] };
const adas: ITerminalState = { ...yours, controller: ADA };

const strips = (state: ITerminalState, change: Partial<IStripView> = {}) =>
  terminalStrips(
    {
      state,
      isLost: false,
      retryAt: null,
      gone: null,
      keptForYouUntil: null,
      replaying: false,
      refused: null,
      dismissed: false,
      hasCard: false,
      now: NOW,
      ...change
    },
    trans
  );
const texts = (...args: Parameters<typeof strips>) => strips(...args).map(strip => strip.text);
const labels = (...args: Parameters<typeof strips>) =>
  strips(...args).flatMap(strip => strip.actions.map(action => action.label));

describe('strips', () => {
  it('are absent where one controls a shell', () => expect(strips(yours)).toEqual([]));

  it('say to a viewer who types, and offer the request', () => {
    expect(texts(adas)).toEqual(['Ada has control.']);
    expect(labels(adas)).toEqual(['Request control']);
    expect(labels({ ...adas, requests: [BEN] })).toEqual(['Withdraw the request']);
    const reader = { ...adas, you: { ...YOU, can_execute: false } };
    expect(strips(reader)[0]).toMatchObject({ aside: 'View only', actions: [] });
  });

  it('call people whom Jupyter does not know by their whole name', () => {
    const controller = { username: 'x', display_name: 'Anonymous Callisto' };
    expect(texts({ ...adas, controller })).toEqual(['Anonymous Callisto has control.']);
    const padded = { username: 'x', display_name: ' Ada  Lind ' };
    expect(texts({ ...adas, controller: padded })).toEqual(['Ada has control.']);
  });

  it('offer control that nobody has', () => {
    expect(texts({ ...adas, controller: null })).toEqual(['Nobody controls this terminal.']);
    expect(labels({ ...adas, controller: null })).toEqual(['Take control']);
  });

  it('tell who asked that control was not given, until they ask again', () => {
    expect(texts({ ...adas, refusedBy: adas.controller })).toEqual(['Ada keeps control for now.']);
    expect(labels({ ...adas, refusedBy: adas.controller })).toEqual(['Request control']);
  });

  it.each([
    ['has ended', { agentState: 'stopped', agentEnd: { code: 0, signal: null, at: NOW } }],
    ['works', { agentState: 'running' }],
    ['is paused', { agentState: 'paused' }]
  ] as const)('tell a viewer whose turn it is although an agent %s', (_, agent) => {
    const shown = (change: Partial<ITerminalState>) => texts({ ...adas, ...agent, ...change })[0];
    const keptUntil = new Date(NOW.getTime() + 4_000);
    expect(shown({ keptUntil })).toBe('Ada is not connected. Control is kept for 4 more seconds.');
    const refused = { refusedBy: ADA, refusedAt: ago(3) };
    expect(shown(refused)).toBe('Ada keeps control for now.');
    expect(labels({ ...adas, ...agent, ...refused })).toContain('Request control');
    expect(shown({ ...refused, refusedAt: ago(60) })).toBe(shown({}));
  });

  it('let a person take over from a program that nobody can ask', () => {
    const controller = { username: 'owner', display_name: 'Owner' };
    const typed = { ...adas, controller, viewers: [YOU] };
    expect(texts(typed)).toEqual([
      'A script controls this terminal through the API. You can take control.'
    ]);
    expect(labels(typed)).toEqual(['Take control']);
    const isHere = { ...typed, viewers: [YOU, controller] };
    expect(labels(isHere)).toEqual(['Request control']);
  });

  it('say the same lock to everybody, and how to end it to those who may', () => {
    const working = { agentState: 'running' as const, agentTitle: 'Claude Code' };
    const text = 'Claude Code is working. Nobody can type until it has answered.';
    expect(strips({ ...yours, ...working })).toMatchObject([
      { text, aside: 'Pause or stop it to type' }
    ]);
    expect(strips({ ...adas, ...working })).toMatchObject([
      { text, aside: 'You can scroll, select and copy', actions: [] }
    ]);
  });

  it('say in the lock that one has asked for control', () => {
    const asked = { ...adas, agentState: 'running' as const, requests: [BEN] };
    expect(labels(asked)).toEqual(['Withdraw the request']);
    const question = { id: 'q', title: 'Run ls', mayAnswer: false, owner: 'Ada', inTerminal: true };
    expect(labels({ ...asked, agentState: 'waiting' }, { question })).toEqual([
      'Withdraw the request'
    ]);
  });

  it('say whose shell it is while the agent is paused', () => {
    const paused = { agentState: 'paused' as const, agentTitle: 'Codex' };
    expect(texts({ ...yours, ...paused })).toEqual([
      'Codex is paused, and this is your shell. Resume the agent when you are done.'
    ]);
    expect(texts({ ...adas, ...paused })).toEqual(['Codex is paused.', 'Ada has control.']);
  });

  it('say that a question is open only when it is', () => {
    const waiting = { ...yours, agentState: 'waiting' as const, agentTitle: 'Codex' };
    expect(texts(waiting)).toEqual(['Codex has answered. You can type.']);
    const asking = { ...waiting, agentReason: 'May I run make?' };
    expect(strips(asking)[0]).toMatchObject({
      text: 'May I run make? Type your answer in the terminal.',
      tone: 'warning',
      actions: [{ verb: 'type', label: 'Type answer' }]
    });
    expect(texts({ ...asking, agentReason: 'Name the branch' })).toEqual([
      'Name the branch. Type your answer in the terminal.'
    ]);
  });

  it('ask the controller, with keys for the first', () => {
    const asked = { ...yours, requests: [ADA], askedAt: { ada: ago(12) } };
    expect(strips(asked)[0]).toMatchObject({
      person: ADA,
      text: 'asks for control',
      aside: '12 s ago'
    });
    expect(strips(asked)[0].actions.map(({ label, key, filled }) => [label, key, filled])).toEqual([
      ['Give control', 'give', true],
      ['Not now', 'deny', undefined]
    ]);
  });

  it('count down to the next attempt, and how long control is kept', () => {
    const view = {
      isLost: true,
      retryAt: NOW.getTime() + 3_200,
      keptForYouUntil: new Date(NOW.getTime() + 5_100)
    };
    expect(texts(yours, view)).toHaveLength(1); // alone, it is kept for as long as it takes
    expect(strips(yours, view)[0].aside).toBeUndefined();
    const watched = { ...yours, viewers: [BEN, ADA] };
    expect(texts(watched, view)).toEqual([
      'Connection lost. Trying again in 4 s. What you type now is not sent.'
    ]);
    expect(strips(watched, view)[0].aside).toBe('Control is kept for you for 6 more seconds.');
    expect(labels(yours, view)).toEqual(['Try now']);
    const late = { ...view, keptForYouUntil: ago(1) };
    expect(strips(watched, late)[0].aside).toBe('Control is no longer kept for you.');
  });

  it('share one line: a refused key, the most urgent one, or that one can type', () => {
    const line = (state: ITerminalState, change: Partial<IStripView> = {}) =>
      stripInLine(strips(state, change), state, trans).text;
    expect(line(UNKNOWN)).toBe('Opening the terminal');
    expect(line(yours)).toBe('You can type in this terminal');
    expect(line({ ...yours, viewers: [BEN, ADA] })).toBe('You control this terminal');
    const working = { ...yours, agentState: 'running' as const, agentTitle: 'Codex' };
    expect(line(working)).toMatch(/^Codex is working/);
    const asked = { ...working, requests: [ADA, { username: 'cleo', display_name: 'Cleo' }] };
    expect(line(asked)).toBe('asks for control. 1 more person is waiting.');
    expect(line(asked, { refused: 'agent_running' })).toBe('Not sent: an agent is running');
  });

  it('tell viewers that the controller may come back', () => {
    const away = { ...adas, keptUntil: new Date(NOW.getTime() + 1000) };
    expect(texts(away)).toEqual(['Ada is not connected. Control is kept for 1 more second.']);
  });

  it('say for a while what was rebuilt', () => {
    const rebuilt = { ...yours, rebuilt: { bytes: 512 * 1024, at: ago(0) } };
    const text = 'Catching up: the screen was rebuilt from the last 512 kB.';
    expect(texts(rebuilt)).toEqual([text]);
    const later = { now: new Date(NOW.getTime() + REBUILT_MS + 1) };
    expect(texts(rebuilt, later)).toEqual([]);
    expect(texts(rebuilt, { ...later, replaying: true })).toEqual([text]);
  });

  it('say that an agent is to start here and waits for its turn', () => {
    const queued = { title: 'Codex', by: BEN, position: 2, pausedBy: null };
    expect(texts({ ...yours, queued })).toEqual(['Codex is waiting for its turn: second in line.']);
    expect(texts({ ...yours, queued: { ...queued, by: ADA, position: null } })).toEqual([
      'Codex, started by Ada, is waiting for its turn.'
    ]);
    expect(texts({ ...yours, queued: { ...queued, pausedBy: 'Ruth Root' } })).toEqual([
      'Codex is waiting: Ruth Root has paused all agents.'
    ]);
    expect(texts({ ...adas, queued })).toEqual([
      'Codex is waiting for its turn: second in line.',
      'Ada has control.'
    ]);
    expect(texts({ ...yours, queued, agentState: 'paused', agentTitle: 'pi' })).toEqual([
      'pi is paused, and this is your shell. Resume the agent when you are done.'
    ]);
  });

  it('say how an agent ended, until that is dismissed', () => {
    const end = { code: 0, signal: null, at: NOW };
    const ended: ITerminalState = {
      ...yours,
      agentState: 'stopped',
      agentTitle: 'Codex',
      agentEnd: end,
      recorded: true
    };
    expect(texts(ended)).toEqual([
      'Codex ended at 14:41 with exit code 0. The terminal stays open.'
    ]);
    expect(labels(ended)).toEqual(['Play recording', 'Close']);
    expect(strips(ended, { dismissed: true })).toEqual([]);
    const stopped = { ...ended, agentEnd: { ...end, by: ADA } };
    expect(strips(stopped)[0].icon).toBe('stop'); // neither success nor failure
    expect(texts(stopped)[0]).toBe(
      'Codex was stopped at 14:41 by Ada Lind. The terminal stays open.'
    );
    const killed = { ...ended, agentEnd: { ...end, code: null, signal: 9 } };
    expect(texts(killed)[0]).toBe(
      'Codex was terminated at 14:41 by signal 9. The terminal stays open.'
    );
  });

  it('say that there is nothing to look at', () => {
    expect(texts(UNKNOWN, { gone: 'unknown' })[0]).toMatch(/^Terminal not found/);
    expect(texts(yours, { gone: 'closed' })[0]).toBe('This terminal was closed.');
    expect(texts(yours, { gone: 'closed', closedBecause: 'Closed by Ben\u202e.' })[0]).toMatch(
      /^This terminal was closed\. Closed by Ben[^\u202e]*$/
    );
    const because = 'Ada Lind made this terminal private.';
    expect(texts(yours, { gone: 'private', closedBecause: because })[0]).toBe(because);
    expect(texts(yours, { gone: 'private' })[0]).toBe('This terminal is private.');
    expect(labels({ ...yours, recorded: true }, { gone: 'private' })).toEqual([]);
    expect(labels({ ...yours, recorded: true }, { gone: 'closed' })).toEqual([
      'Play recording',
      'New terminal'
    ]);
  });

  it('put a refused key in the strip that is there, or in a separate one', () => {
    expect(strips(adas, { refused: 'not_controller' })).toMatchObject([
      { id: 'viewer', text: 'Not sent: Ada has control', flash: true }
    ]);
    expect(strips(yours, { refused: 'busy' })).toMatchObject([
      { text: 'Not sent: the program does not read its input', flash: true }
    ]);
  });

  it('show what cannot be seen in names', () => {
    const evil = { ...adas, controller: { username: 'e', display_name: 'A\u202eda' } };
    expect(texts(evil)).toEqual(['A‹U+202E›da has control.']);
  });
});

describe('words of the toolbar', () => {
  it('say who controls', () => {
    const full = (state: ITerminalState, on = true) => controllerLabel(state, on, trans).full;
    expect([full(yours), full(adas), full({ ...yours, controller: null })]).toEqual([
      'You control',
      'Ada Lind controls',
      'Nobody controls'
    ]);
    expect([full(yours, false), full(UNKNOWN, false)]).toEqual(['Reconnecting', 'Connecting']);
  });

  it('say the place in line', () => {
    expect(requestedLabel({ ...adas, requests: [ADA, BEN] }, trans)).toBe('Requested, 2nd in line');
  });

  it('say how long the agent has been at work', () => {
    const running = { ...yours, agentState: 'running' as const, agentSince: ago(124) };
    expect(agentLabel(running, NOW, trans)).toBe('running, 2 min 04 s');
    expect(agentLabel({ ...running, agentState: 'paused' }, NOW, trans)).toBe('paused');
  });

  it('say why a key was not typed', () => {
    expect(refusalText('agent_running', yours, trans)).toBe('Not sent: an agent is running');
    expect(refusalText('not_controller', { ...yours, controller: null }, trans)).toBe(
      'Not sent: nobody has control'
    );
  });

  it('tell what an agent asks in the line that the lock had, and lead to the answer', () => {
    const question = {
      id: 'q',
      title: 'Codex asks to run a command',
      mayAnswer: true,
      owner: 'Ada Lind',
      inTerminal: true
    };
    const waiting: ITerminalState = { ...yours, agentState: 'waiting', agentReason: 'May I?' };
    expect(strips(waiting, { question })).toMatchObject([
      {
        text: 'Codex asks to run a command. Choose Answer, or type in the terminal.',
        actions: [{ verb: 'answer' }]
      }
    ]);
    const theirs = { ...question, mayAnswer: false };
    expect(strips({ ...waiting, controller: ADA }, { question: theirs })).toMatchObject([
      { text: 'Codex asks to run a command.', aside: 'Only Ada Lind can answer', actions: [] }
    ]);
    expect(texts(waiting, { question, hasCard: true })).toEqual([
      'May I? Type your answer in the terminal.'
    ]);
  });
});
