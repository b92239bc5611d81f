import { readFileSync } from 'fs';
import { join } from 'path';

import { nullTranslator } from '@jupyterlab/translation';

import type { PlayRow } from '../../../api/types';
import { agentName } from '../../../testing/fakePlays';
import { after, aPlay } from '../../../testing/samples';
import { TRIGGERS } from './draft';
import {
  deletionWords,
  emptyInputs,
  exampleWords,
  playStatus,
  signedRequestCommand,
  startWords
} from './words';

const trans = nullTranslator.load('');
const SLUGS = { agent: (slug: string) => slug, play: (slug: string) => slug };
const DOCS = join(__dirname, '../../../../../docs/how-to/write-a-play.md');

it('distinguishes a file with errors from a play that needs confirmation', () => {
  const broken = aPlay('a', { reason: 'Line 2: …', confirmed: false, broken: true });
  expect(playStatus(broken, trans)?.label).toBe('File has errors');
});

it('signs a request as the documentation does', () => {
  const page = readFileSync(DOCS, 'utf8');
  expect(page).toContain(signedRequestCommand('<server>/cabinet/api/hooks/plays/<name>'));
});

it('finds the inputs that were left empty', () => {
  const play = { inputs: ['topic', 'days', 'place'] };
  expect(emptyInputs(play, { topic: 'plums', days: '  ' })).toEqual(['days', 'place']);
});

it('has an example for each trigger that is added', () => {
  expect(TRIGGERS.filter(type => !exampleWords(type, trans))).toEqual([]);
});

describe('the texts of a play', () => {
  it('report a missing agent rather than a missing confirmation', () => {
    const play = aPlay('a', { agent_gone: true, confirmed: false, reason: 'x' });
    expect(playStatus(play, trans)?.label).toBe('Agent not found');
  });

  it('name a play by its title before it is deleted, and the plays that it no longer starts', () => {
    const sweep = aPlay('sweep', { title: 'Weekly sweep' });
    const plays = [sweep, aPlay('b', { title: 'Digest', triggers: [after('sweep')] })];
    const { body, title } = deletionWords(sweep, plays, trans);
    expect(title).toBe('Delete the play “Weekly sweep”?');
    expect(body).toMatch(/It no longer starts these plays: Digest\.$/);
    expect(deletionWords(sweep, [sweep], trans).body).not.toContain('no longer');
    expect(deletionWords(aPlay('a', { title: '' }), [], trans).title).toBe('Delete the play “a”?');
  });

  it('list what starts a play', () => {
    const play = aPlay('a', {
      schedule: 'Fridays at 16:00',
      triggers: [after('b', 'failed'), { type: 'agent_message', agent: 'eve' }]
    });
    expect(startWords(play, { agent: agentName, play: slug => slug.toUpperCase() }, trans)).toBe(
      'Fridays at 16:00 · When B has failed · When a message for Night Editor arrives'
    );
    expect(startWords(aPlay('b'), SLUGS, trans)).toBe('By hand');
  });

  it('show the status: a run first, then a problem, then the result of the last run', () => {
    const last = { status: 'failed' } as PlayRow['last'];
    const labels = [
      playStatus(aPlay('a', { run_id: 'r', run_state: 'running', reason: 'x', last }), trans),
      playStatus(aPlay('a', { run_id: 'r', run_state: 'queued', last }), trans),
      playStatus(aPlay('a', { run_id: 'r', run_state: 'waiting', last }), trans),
      playStatus(aPlay('a', { reason: 'x', confirmed: false, last }), trans),
      playStatus(aPlay('a', { last }), trans),
      playStatus(aPlay('a'), trans)
    ].map(each => each?.label ?? null);
    expect(labels).toEqual([
      'Running',
      'Queued',
      'Waiting for an answer',
      'Needs confirmation',
      'Failed',
      null
    ]);
  });
});
