import { nullTranslator } from '@jupyterlab/translation';

import type { ApprovalRule } from '../../api/types';
import { fakeServer, refusal } from '../../testing/fakes';
import {
  actionText,
  effectText,
  EMPTY_RULE,
  fieldsOf,
  isStillWrong,
  ruleOf,
  scopeText,
  spelledWords,
  wordsOf
} from './ruleForm';
import { RuleStore } from './rules';

const trans = nullTranslator.load('jupyter_cabinet');
const NOW = new Date('2026-11-23T10:00:00Z');

function aRule(id: string, change: Partial<ApprovalRule> = {}): ApprovalRule {
  const made_by = {
    username: 'ada',
    display_name: 'Ada Lind',
    initials: 'AL',
    color: '',
    avatar_url: null
  };
  return {
    id,
    effect: 'allow',
    action: { type: 'command', argv: ['git', 'status'], more: false },
    agent: null,
    runtime: null,
    folder: null,
    expires_at: null,
    note: '',
    made_by: made_by as ApprovalRule['made_by'],
    made_at: '2026-11-20T10:00:00Z',
    for_everyone: true,
    ...change
  };
}

describe('RuleStore', () => {
  function open() {
    const state = { rules: [aRule('one'), aRule('two')], hash: 'h1' };
    const put = (body: unknown) => {
      const sent = body as { rules: ApprovalRule[]; hash: string };
      state.rules = sent.rules.map((rule, at) =>
        aRule(rule.id ?? `new-${at}`, { ...rule, id: rule.id ?? `new-${at}` })
      );
      state.hash = `${state.hash}+`;
      return { json: { ...state } };
    };
    const server = fakeServer({
      'GET approval-rules': () => ({ json: { ...state } }),
      'PUT approval-rules': put,
      'POST approval-rules/explain': { effect: 'ask', rule: null, because: 'Nobody allows it.' }
    });
    return { server, store: new RuleStore(server.client), state };
  }

  it('of other people can be read only', async () => {
    const { state, store } = open();
    Object.assign(state, { protected: ['two'] });
    await store.load();
    expect(store.rules.map(rule => store.mayChange(rule))).toEqual([true, false]);
  });

  it('adds, replaces and removes, always with the hash that was read', async () => {
    const { server, store } = open();
    expect(await store.add({ effect: 'deny', action: { type: 'fetch', host: 'x.org' } })).toBe(
      false
    );
    await store.load();
    expect(await store.add({ effect: 'deny', action: { type: 'fetch', host: 'x.org' } })).toBe(
      true
    );
    expect(store.rules.map(({ id }) => id)).toEqual(['one', 'two', 'new-2']);
    expect(await store.replace('two', { effect: 'ask', action: { type: 'edit', path: 'a' } })).toBe(
      true
    );
    expect(store.rules.map(({ effect }) => effect)).toEqual(['allow', 'ask', 'deny']);
    const hashes = server.requests
      .filter(({ line }) => line.startsWith('PUT'))
      .map(({ body }) => (body as { hash: string }).hash);
    expect(hashes).toEqual(['h1', 'h1+']);
  });

  it('restores what was removed', async () => {
    const { store } = open();
    await store.load();
    await store.remove(store.rules[0]);
    expect([store.rules.length, store.removed?.id]).toEqual([1, 'one']);
    await store.putBack();
    expect([store.rules.length, store.removed]).toEqual([2, null]);
  });

  it('shows the other list where somebody was faster, and changes nothing', async () => {
    const { server, store, state } = open();
    await store.load();
    state.rules = [aRule('theirs')];
    server.answers['PUT approval-rules'] = refusal(409, 'conflict', 'The rules are others by now.');
    expect(await store.add({ effect: 'deny', action: { type: 'fetch', host: 'x.org' } })).toBe(
      false
    );
    expect(store.rules.map(({ id }) => id)).toEqual(['theirs']);
    expect(store.problem).toBe('The rules are others by now.');
  });

  it('says why they cannot be read, and explains', async () => {
    const { server, store } = open();
    server.answers['GET approval-rules'] = refusal(403, 'not_allowed', 'You may not.');
    await store.load();
    expect([store.problem, store.list]).toEqual(['You may not.', null]);
    await store.try('ls');
    expect(store.decision).toMatchObject({ because: 'Nobody allows it.' });
    expect(server.requests.at(-1)?.body).toMatchObject({ asks: { text: 'ls' } });
  });

  it('forgets what was tried once the rules are others', async () => {
    const { store } = open();
    await store.load();
    await store.try('ls');
    await store.load();
    expect(store.decision).not.toBeNull();
    await store.remove(store.rules[0]);
    expect(store.decision).toBeNull();
  });
});

describe('a rule as it is filled in', () => {
  it.each([
    ['git status', ['git', 'status']],
    ['  a  "b c" ', ['a', 'b c']],
    [`'it''s' x"y z"`, ['its', 'xy z']],
    [`"it's" ''`, ["it's", '']],
    ['"open', null]
  ])('%j is words', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('spells words so that they are read again', () => {
    const argv = ['git', 'commit', '-m', 'it\'s a "test"', '', "'", '  '];
    expect(wordsOf(spelledWords(argv))).toEqual(argv);
  });

  it('is no longer wrong in a field that was corrected', () => {
    const isWrong = (field: 'what' | 'days', change: object) =>
      isStillWrong(field, { ...EMPTY_RULE, what: 'git status', ...change }, trans);
    expect([isWrong('days', { days: '-' }), isWrong('days', { days: '3' })]).toEqual([true, false]);
    expect([isWrong('what', { what: '"a' }), isWrong('what', { what: 'a' })]).toEqual([
      true,
      false
    ]);
  });

  it('is a rule, or says what is missing', () => {
    const made = (change: object) =>
      ruleOf({ ...EMPTY_RULE, what: 'git status', ...change }, NOW, trans);
    expect(made({ days: '2', agent: ' researcher ', more: true })).toEqual({
      rule: {
        effect: 'allow',
        action: { type: 'command', argv: ['git', 'status'], more: true },
        agent: 'researcher',
        runtime: null,
        folder: null,
        expires_at: '2026-11-25T10:00:00.000Z',
        note: ''
      }
    });
    expect(made({ what: ' ' })).toHaveProperty('problem');
    expect(made({ what: '"x' })).toHaveProperty('problem');
    expect(made({ days: '-1' })).toHaveProperty('problem');
    expect(made({ days: 'x' })).toHaveProperty('problem');
    expect(made({ days: '', kind: 'edit', what: 'docs/**' })).toMatchObject({
      rule: { expires_at: null, action: { type: 'edit', path: 'docs/**' } }
    });
    expect(made({ kind: 'fetch', what: 'x.org' })).toMatchObject({
      rule: { action: { host: 'x.org' } }
    });
    expect(made({ kind: 'tool', what: 't', server: 's' })).toMatchObject({
      rule: { action: { type: 'tool', server: 's', tool: 't' } }
    });
  });

  it.each([
    [{ type: 'command', argv: ['git', 'a b'], more: true }, "git 'a b' …"],
    [{ type: 'edit', path: 'a/*' }, 'edit a/*'],
    [{ type: 'fetch', host: 'x.org' }, 'fetch x.org'],
    [{ type: 'tool', server: 'gh', tool: 'issue' }, 'gh: issue'],
    [{ type: 'tool', server: '', tool: 'Task' }, 'Task']
  ] as [ApprovalRule['action'], string][])('goes back into the form and is %j', (action, words) => {
    const rule = aRule('one', {
      action,
      expires_at: '2026-11-26T10:00:00Z',
      folder: 'data',
      agent: 'ops'
    });
    expect(actionText(rule, trans)).toBe(words);
    const fields = fieldsOf(rule, NOW);
    expect([fields.days, fields.folder, fields.agent]).toEqual(['3', 'data', 'ops']);
    expect(ruleOf(fields, NOW, trans)).toMatchObject({ rule: { action } });
  });

  it.each([
    { agent: null, runtime: null },
    { agent: '', runtime: 'demo' },
    { agent: 'ops', runtime: null }
  ])('is for the same agents and CLIs after it was edited: %j', scope => {
    const fields = fieldsOf(aRule('one', scope), NOW);
    expect(ruleOf(fields, NOW, trans)).toMatchObject({ rule: scope });
  });

  it('says for whom and where', () => {
    const said = (change: Partial<ApprovalRule>) => scopeText(aRule('x', change), trans);
    expect(said({})).toBe('every agent, everywhere in this workspace');
    expect(said({ effect: 'deny', runtime: 'codex' })).toBe('every agent with codex, everywhere');
    expect(said({ agent: '', folder: 'a' })).toBe(
      'every CLI without a named agent, in a and below'
    );
    expect(said({ agent: '', runtime: 'claude', folder: 'a' })).toBe(
      'claude without a named agent, in a and below'
    );
    expect(said({ agent: 'ops', folder: 'a' })).toBe('ops, in a and below');
    expect(said({ agent: 'ops', runtime: 'claude', folder: 'a' })).toBe(
      'ops with claude, in a and below'
    );
    expect(effectText('deny', trans)).toBe('Deny');
  });
});
