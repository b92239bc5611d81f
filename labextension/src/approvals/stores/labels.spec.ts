import { nullTranslator } from '@jupyterlab/translation';

import type { AnswerOption, Approval } from '../../api/types';
import { anApproval } from '../../testing/samples';
import * as words from './labels';

const trans = nullTranslator.load('jupyter_cabinet');
const NOW = new Date('2026-11-21T10:01:48Z');
const ADA = { username: 'ada', display_name: 'Ada Lind' };

describe('an answer that makes a rule', () => {
  it('is said to be one', () => {
    const option: AnswerOption = {
      id: 'allow',
      label: 'Allow once',
      kind: 'allow_once',
      grants: '',
      takes_note: false,
      questions: []
    };
    const said = (always_days: number) => {
      const change = { state: 'answered', option: 'allow', options: [option] } as const;
      const approval = anApproval({ ...change, answered_by: ADA, always_days } as never);
      return [words.outcomeText(approval, 'ada', trans), words.answeredText(approval, null, trans)];
    };
    expect(said(0)).toEqual(['Allowed once by you', 'Ada Lind allowed it once.']);
    expect(said(7)).toEqual([
      'Allowed by a new rule for 7 days, made by you',
      'Ada Lind allowed it with a new rule.'
    ]);
    expect(said(1)[0]).toBe('Allowed by a new rule for 1 day, made by you');
  });
});

describe('approval words', () => {
  it('name what is asked for', () => {
    const titles = (['command', 'edit', 'tool', 'question'] as const).map(kind =>
      words.titleText(anApproval({ kind, tool: 'Fetch' }), trans)
    );
    expect(titles).toEqual([
      'Claude Code asks to run a command',
      'Claude Code asks to edit a file',
      'Claude Code asks to use Fetch',
      'Claude Code asks a question'
    ]);
    const cell = anApproval({ kind: 'tool', tool: 'cell_run' });
    expect([words.titleText(cell, trans), words.askedText(cell, trans)]).toEqual([
      'Claude Code asks to run a cell',
      'Asked to run a cell.'
    ]);
    expect(words.titleText(anApproval({ runtime_title: 'a\u202eb' }), trans)).toContain('‹U+202E›');
  });

  it('say risks in words, and leave the missing sandbox to its own line', () => {
    const said = (risks: Approval['risks']) => words.riskText(anApproval({ risks }), trans);
    expect(said(['no_sandbox'])).toBeNull();
    expect(said([])).toBeNull();
    expect(said(['deletes', 'outside', 'network', 'no_sandbox'])).toBe(
      'Deletes files, reaches outside the workspace, uses the network'
    );
  });

  it('count down to what happens then', () => {
    const said = (change: Partial<Approval>) => words.expiryText(anApproval(change), NOW, trans);
    expect(said({})).toBe('In 8 min 12 s, then denied');
    expect(said({ in_terminal: true })).toBe('In 8 min 12 s, then left to the terminal');
    expect(said({ expires_at: '2026-11-21T10:00:00Z' })).toBe('Now');
    expect(words.shortExpiry(anApproval(), NOW, trans)).toBe('Expires in 8 min');
  });

  it('tell how it was answered, and by whom', () => {
    const said = (change: Partial<Approval>) => {
      const approval = anApproval({ state: 'answered', answered_by: ADA, ...change });
      return [
        words.outcomeText(approval, 'ben', trans),
        words.answeredText(approval, 'ada', trans)
      ];
    };
    expect(said({ option: 'allow' })).toEqual(['Allowed once by Ada Lind', 'You allowed it once.']);
    expect(said({ option: 'session' })).toEqual([
      'Allowed for this session by Ada Lind',
      'You allowed it for this session.'
    ]);
    const inText: AnswerOption = {
      id: 'words',
      label: 'Answer in words',
      kind: 'choice',
      grants: '',
      takes_note: true,
      questions: []
    };
    expect(said({ options: [inText], option: 'words', note: 'both' })).toEqual([
      'Answered “both” by Ada Lind',
      'You answered “both”.'
    ]);
    expect(said({ option: 'deny', note: 'use the replica' })).toEqual([
      'Denied by Ada Lind: “use the replica”',
      'You denied it: “use the replica”'
    ]);
    const outcome = 'Denied, nobody answered in 10 min';
    expect(said({ state: 'expired', answered_by: null, outcome })).toEqual([
      outcome,
      `${outcome}.`
    ]);
  });

  it('let nothing be allowed beside a terminal that cannot be seen there whole', () => {
    const parts = (text: string) =>
      anApproval({ parts: [{ label: 'Command', text, changes: false }] });
    expect(words.fitsBeside(parts('ls'))).toBe(true);
    expect(words.fitsBeside(parts('x\n'.repeat(40)))).toBe(false);
    expect(words.fitsBeside(parts('x'.repeat(2000)))).toBe(false);
    const old = 'a\nb\nc\nd\ne\nf\ng\n';
    const edited = (now: string) =>
      anApproval({
        parts: [{ label: 'New text', text: 'x\n'.repeat(40), changes: true }],
        edits: [{ path: 'a.md', cell: '', old, new: now }]
      });
    expect(words.fitsBeside(edited(`${old}h\n`))).toBe(true);
    expect(words.fitsBeside(edited('x\n'.repeat(40)))).toBe(false);
  });

  it('count', () => {
    expect([0, 1, 2].map(count => words.countText(count, trans))).toEqual([
      'No requests',
      '1 waiting for you',
      '2 waiting for you'
    ]);
    expect(words.summaryText(2, 1, trans)).toBe('2 waiting for you, 1 for others');
    expect(words.summaryText(0, 0, trans)).toBe('');
    expect(words.spokenText(anApproval(), 2, trans)).toBe(
      'Claude Code asks to run a command. 2 waiting for you.'
    );
  });
});

test('What a program asks is yours where everybody shares one login, and nobody else’s question is', () => {
  const ada = { username: 'ada', ownsAll: false };
  const shared = { username: 'ada', ownsAll: true };
  const whose = (who: typeof ada) =>
    ['ada', 'owner', 'ben'].map(owner => words.isYours({ owner }, who));
  expect([whose(ada), whose(shared)]).toEqual([
    [true, false, false],
    [true, true, false]
  ]);
});
