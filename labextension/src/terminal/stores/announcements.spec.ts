import { nullTranslator } from '@jupyterlab/translation';

import type { ServerFrame } from '../../api/terminal';
import { aRun } from '../../testing/samples';
import { UNKNOWN, type ITerminalState } from './state';
import { runAnnouncement } from '../../runs/stores/announcements';
import { terminalAnnouncement } from './announcements';

const trans = nullTranslator.load('jupyter_cabinet');
const ADA = { username: 'ada', display_name: 'Ada Lind' };
const BEN = { username: 'ben', display_name: 'Ben Okoro' };
const YOU = { ...ADA, can_execute: true, primary: true, may_manage: false, may_share: false };
const alone: ITerminalState = {
  ...UNKNOWN,
  you: YOU,
  controller: ADA,
  viewers: [ADA],
  name: 'training',
  agentTitle: 'Codex'
};

const said = (type: string, before: ITerminalState, after: ITerminalState) =>
  terminalAnnouncement({ type, controller: ADA } as unknown as ServerFrame, before, after, trans)
    ?.text;

describe('what is said of a terminal', () => {
  it('is that the agent asks where it asks, and that it has answered where it has', () => {
    const working: ITerminalState = { ...alone, agentState: 'running' };
    const waiting: ITerminalState = { ...alone, agentState: 'waiting' };
    expect(said('agent_state', working, waiting)).toBe('Codex has answered. You can type.');
    const asking = { ...waiting, agentReason: 'May I run make?' };
    expect(said('agent_state', working, asking)).toBe('Codex asks: May I run make?');
    const itself = { ...waiting, agentReason: 'Codex asks: May I?' };
    expect(said('agent_state', working, itself)).toBe('Codex asks: May I?');
  });

  it('is who controls, to nobody who is alone', () => {
    expect(said('control_taken', alone, alone)).toBeUndefined();
    const watched = { ...alone, viewers: [ADA, BEN] };
    expect(said('control_taken', watched, watched)).toBe('You control training.');
  });

  it('is that recording has begun, unless an agent works in it', () => {
    const heard = (before: boolean, on: boolean, source: 'agent' | 'shell' = 'shell') => {
      const frame = { type: 'recording', on, recorded: true } as ServerFrame;
      const states = [before, on].map(recording => ({ ...alone, recording, source }));
      return terminalAnnouncement(frame, states[0], states[1], trans)?.text;
    };
    expect(heard(false, true)).toBe('training is being recorded.');
    expect([heard(true, true), heard(true, false)]).toEqual([undefined, undefined]);
    expect(heard(false, true, 'agent')).toBeUndefined();
  });

  it('is who asks for control, to the one who has it', () => {
    const asks = { type: 'control_requested', by: BEN, requests: [BEN] } as ServerFrame;
    const heard = (state: ITerminalState) => terminalAnnouncement(asks, state, state, trans)?.text;
    const watched = { ...alone, viewers: [ADA, BEN] };
    expect(heard(watched)).toBe('Ben Okoro asks for control.');
    expect(
      heard({ ...watched, controller: { username: 'cy', display_name: 'Cy' } })
    ).toBeUndefined();
  });
});

describe('what is said of a run', () => {
  it('is Denied where it was, and Failed where it failed', () => {
    const failure = { message: 'Codex was not allowed to use Bash.', retry_helps: false };
    const end = (kind: 'permission_denied' | 'crashed') =>
      runAnnouncement(
        aRun(),
        aRun({ state: 'failed', failure: { ...failure, kind, retry_after_seconds: null } }),
        trans
      )?.text;
    expect(end('permission_denied')).toBe('Denied: Codex was not allowed to use Bash.');
    expect(end('crashed')).toBe('Run failed: Codex was not allowed to use Bash.');
  });
});
