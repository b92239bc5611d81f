import { nullTranslator } from '@jupyterlab/translation';

import type { CabinetEvent } from '../../api/types';
import { aRun } from '../../testing/samples';
import { isWanted, newsOf, overBy, wishOf } from './news';

const trans = nullTranslator.load('jupyter_cabinet');
const told = (event: Partial<CabinetEvent>) =>
  newsOf(event as CabinetEvent, trans, slug => (slug === 'ada' ? 'Ada' : slug));

describe('News of agents', () => {
  it('reports an agent that has paused itself, and not of one that a person has paused', () => {
    const event = { type: 'agent_paused', agent: 'ada', reason: 'Three failed.' } as const;
    expect(told({ ...event, by: '' })).toEqual({
      level: 'warning',
      key: 'ada',
      text: 'Ada was paused. Three failed.'
    });
    expect(told({ ...event, by: 'Ben' })).toBeNull();
  });

  it('shows a post in one line, cut', () => {
    const text = `One\n\ntwo ${'x'.repeat(300)}`;
    const post = told({
      type: 'posted',
      agent: 'ada',
      channel: 'ops',
      text,
      post_id: '1',
      chats: 1
    });
    expect(post?.text).toMatch(/^Ada in #ops: One two x+…$/);
    expect(post?.text.length).toBeLessThan(230);
  });

  it('says that a post to a chat that is not connected was only kept, until one is sent', () => {
    const event = {
      type: 'posted',
      agent: 'ada',
      channel: 'ops',
      text: 'Hi',
      post_id: '1'
    } as const;
    const kept = told({ ...event, chats: 0 });
    expect(kept).toEqual({
      level: 'warning',
      key: 'post/ada/ops',
      text: 'No chat named ops is connected, so the post of Ada was only kept: Hi'
    });
    expect(overBy({ ...event, chats: 0 } as CabinetEvent)).toEqual([]);
    expect(overBy({ ...event, chats: 2 } as CabinetEvent)).toEqual([kept?.key]);
  });

  it('shows what an agent asks of the browser until it is dismissed, with a button', () => {
    const asked = { type: 'browser_asked', agent: 'ada', run_id: 'r' } as const;
    const notice = told({ ...asked, action: 'notify', text: 'Done.' });
    expect(notice).toEqual({ level: 'info', stays: true, text: 'Ada: Done.' });
    const file = told({ ...asked, action: 'open', text: 'a.md' });
    expect(file?.text).toBe('Ada suggests that you open a.md');
    expect(file?.offer).toEqual({ action: 'open', text: 'a.md' });
    const copy = told({ ...asked, action: 'clipboard', text: 'rm -rf /' });
    expect(copy?.text).not.toContain('rm'); // it is shown whole before it is copied
    expect(copy?.offer?.text).toBe('rm -rf /');
    expect(['all', 'trouble', 'none'].map(wish => isWanted(notice!, wishOf(wish)))).toEqual([
      true,
      true,
      false
    ]);
  });

  it('reports effects only if somebody must allow them', () => {
    const event = {
      type: 'effects_applied',
      agent: 'ada',
      run_id: '1',
      applied: 2,
      refused: 0
    } as const;
    expect(told({ ...event, held: 0 })).toBeNull();
    expect(told({ ...event, held: 2 })?.text).toBe(
      'Ada has read text from outside, so 2 effects wait for your approval.'
    );
  });

  it('reports a proposed soul until somebody has decided about it', () => {
    const of = { agent: 'ada', run_id: '1' } as const;
    const news = told({ type: 'soul_proposed', ...of });
    expect(news).toMatchObject({ level: 'info', key: 'soul/ada' });
    expect(news?.text).toBe('Ada proposes a new SOUL.md. Open its page to decide.');
    const closed = { type: 'soul_proposal_closed', ...of, accepted: false, by: 'Ben' } as const;
    expect(overBy(closed as unknown as CabinetEvent)).toEqual(['soul/ada']);
  });

  it('reports goals, plays and the off switch', () => {
    const alert = told({ type: 'goal_alert', agent: 'ada', metric: 'pages' });
    expect(alert).toMatchObject({ level: 'warning', key: 'goal/ada/pages' }); // one for each goal
    expect(told({ type: 'work_paused', by: 'Ben' })?.text).toBe('Ben paused all agents.');
    expect(told({ type: 'work_resumed', by: 'Ben' })).toBeNull();
  });

  it('reports failed heartbeats and plays, and not what somebody waits for', () => {
    const finished = (change: Parameters<typeof aRun>[0]) =>
      told({ type: 'run_finished', run: aRun({ agent: 'ada', kind: 'heartbeat', ...change }) });
    expect(finished({ state: 'failed', reason: 'It\nbroke.' })).toEqual({
      level: 'warning',
      key: 'ada',
      text: 'A run of Ada failed. It broke.'
    });
    expect(finished({ state: 'timed_out', kind: 'play' })?.level).toBe('warning');
    expect(finished({ state: 'failed', kind: 'message' })).toBeNull();
    expect(finished({ state: 'failed', agent: null })).toBeNull();
    expect(finished({ state: 'succeeded' })).toBeNull();
  });

  it('is over with its reason', () => {
    const over = (event: Partial<CabinetEvent>) => overBy(event as CabinetEvent);
    const run = (change: Parameters<typeof aRun>[0]) => aRun({ agent: 'ada', ...change });
    const failed = told({ type: 'run_finished', run: run({ kind: 'play', state: 'failed' }) });
    expect(over({ type: 'run_finished', run: run({ state: 'succeeded' }) })).toEqual([failed?.key]);
    expect(over({ type: 'run_finished', run: run({ state: 'failed' }) })).toEqual([]);
    expect(over({ type: 'agent_resumed', agent: 'ada' })).toEqual([failed?.key]);
    const late = told({ type: 'play_not_started', play: 'digest', reason: 'No.' });
    const started = run({ kind: 'play', path: '.playbooks/plays/digest.md' });
    expect(over({ type: 'run_started', run: started })).toEqual([late?.key]);
    const effects = { type: 'effects_applied', agent: 'ada', run_id: '1', applied: 2 } as const;
    const held = told({ ...effects, refused: 0, held: 2 });
    expect(over({ ...effects, refused: 0, held: 1 })).toEqual([]);
    expect(over({ ...effects, refused: 1, held: 0 })).toEqual([held?.key]);
    const paused = told({ type: 'work_paused', by: 'Ben' });
    expect(over({ type: 'work_resumed', by: 'Ben' })).toEqual([paused?.key]);
  });

  it('is shown as the setting says', () => {
    const [info, warning] = (['info', 'warning'] as const).map(level => ({ level, text: '' }));
    const wanted = (wish: unknown) => [info, warning].map(news => isWanted(news, wishOf(wish)));
    expect(wanted('all')).toEqual([true, true]);
    expect(wanted('trouble')).toEqual([false, true]);
    expect(wanted('none')).toEqual([false, false]);
    expect(wanted(undefined)).toEqual([true, true]);
  });
});
