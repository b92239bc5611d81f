import type { PlanLine, PlanStep, PlanView } from '../../api/types';
import { fakeEvents, fakeServer, refusal, until } from '../../testing/fakes';
import { aPlan, aRun, aStep } from '../../testing/samples';
import { DraftStore } from '../../shared/draft';
import {
  argumentsOf,
  checklistDraft,
  chosenWorker,
  hasRareSettings,
  planDraft,
  planFields,
  possibleDependencies,
  splitDraft,
  splitFields,
  stepDraft,
  stepFields,
  withoutPart,
  withPart,
  workerOf
} from './forms';
import {
  countsText,
  missingText,
  planLabel,
  runLabel,
  stepLabel,
  stepReason,
  stepRunLabel,
  stepStateText,
  whyNotRun
} from './labels';
import { fileName } from './planFile';
import { PlansStore } from './planList';
import { verbsOf } from './stepActions';

const trans = {
  __: (text: string, ...parts: unknown[]) =>
    text.replace(/%(\d)/g, (_, at: string) => String(parts[Number(at) - 1]))
} as never;

const changed = (plan: string) => ({ type: 'plan_changed', plan_id: plan, title: '', reason: '' });

function line(id: string): Partial<PlanLine> {
  return { id, title: `Plan ${id}` };
}

function open(plan: PlanView, answers: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({
    'GET plans': { items: [line('plan-1'), line('plan-2')] },
    'GET plans?archived=true': { items: [line('plan-3')] },
    'GET plans/plan-1': plan,
    ...answers
  });
  const { events, happen } = fakeEvents(server.client);
  const store = new PlansStore(server.client, events);
  const asked = (what: string) => server.requests.filter(({ line }) => line === what).length;
  return { ...server, asked, happen, store };
}

async function shown(plan: PlanView, answers: Parameters<typeof fakeServer>[0] = {}) {
  const made = open(plan, answers);
  made.store.choose('plan-1');
  const one = made.store.open!;
  await until(() => one.plan !== null);
  return { ...made, one };
}

describe('PlansStore', () => {
  it('lists the plans, or the archived ones', async () => {
    const { store } = open(aPlan([]));
    await store.refresh();
    expect(store.items?.map(({ id }) => id)).toEqual(['plan-1', 'plan-2']);
    await store.showArchived(true);
    expect(store.items?.map(({ id }) => id)).toEqual(['plan-3']);
  });

  it('tells a list whose plans are all archived from one without any plan', async () => {
    const { answers, store } = open(aPlan([]));
    await store.refresh();
    expect(store.areAllArchived).toBe(false);
    answers['GET plans'] = { items: [] };
    await store.refresh();
    expect([store.items, store.areAllArchived]).toEqual([[], true]);
    await store.showArchived(true);
    expect(store.areAllArchived).toBe(false);
    answers['GET plans?archived=true'] = { items: [] };
    await store.showArchived(false);
    expect([store.items, store.areAllArchived]).toEqual([[], false]);
  });

  it('says why they cannot be read, and keeps what was read', async () => {
    const { answers, store } = open(aPlan([]));
    await store.refresh();
    answers['GET plans'] = refusal(503, 'unavailable', 'The server is stopping.');
    await store.refresh();
    expect([store.problem, store.items?.length]).toEqual(['The server is stopping.', 2]);
  });

  it('reads many changes together', async () => {
    const { asked, happen, store } = open(aPlan([]));
    await store.refresh();
    for (let at = 0; at < 5; at += 1) {
      happen(changed('plan-2'));
    }
    await until(() => asked('GET plans') > 1);
    expect(asked('GET plans')).toBe(2);
  });

  it('shows a plan that was just created, and none that was deleted', async () => {
    const { happen, store } = open(aPlan([]));
    await store.showArchived(true);
    store.take(aPlan([], { id: 'plan-1' }));
    expect([store.open?.plan?.id, store.isArchived]).toEqual(['plan-1', false]);
    happen({ type: 'plan_deleted', plan_id: 'plan-1' });
    await until(() => store.open === null);
  });
});

describe('PlanStore', () => {
  it('reads the plan again after an event of it or of a run of its steps', async () => {
    const step = aStep('a', { state: 'running', run_id: 'run-1' });
    const { asked, happen, one } = await shown(aPlan([step]));
    happen(changed('plan-2'));
    happen({ type: 'run_waiting', run: aRun({ id: 'run-9' }) });
    happen({ type: 'run_waiting', run: aRun({ id: 'run-1', state: 'waiting' }) });
    happen(changed('plan-1'));
    await until(() => asked('GET plans/plan-1') > 1);
    expect([asked('GET plans/plan-1'), one.problem]).toEqual([2, null]);
  });

  it('reads the plan again when all agents are paused, if it runs', async () => {
    const { asked, happen, one } = await shown(aPlan([], { state: 'done' }));
    happen({ type: 'work_paused' });
    one.take(aPlan([], { state: 'running', number: 2 }));
    happen({ type: 'work_paused' });
    await until(() => asked('GET plans/plan-1') > 1);
    expect(asked('GET plans/plan-1')).toBe(2);
  });

  it('takes no answer that is older than what it knows', async () => {
    const { one } = await shown(aPlan([], { number: 7 }));
    one.take(aPlan([], { number: 6, title: 'Old' }));
    expect(one.plan?.title).toBe('Tidy the data');
  });

  it('reads what a step has left, and closes a step that was removed', async () => {
    const detail = { step: aStep('a'), artifacts: [], receives: [] };
    const { one } = await shown(aPlan([aStep('a')]), { 'GET plans/plan-1/steps/a': detail });
    one.open('a');
    await until(() => one.detail !== null);
    one.take(aPlan([], { number: 2 }));
    expect([one.stepId, one.detail]).toEqual([null, null]);
  });

  it('asks for a change once at a time, and says why it was refused', async () => {
    const { asked, one } = await shown(aPlan([aStep('a')]), {
      'POST plans/plan-1/steps/a/skip': refusal(409, 'conflict', 'This step is running already.')
    });
    const skip = () => one.change((routes, id) => routes.skipStep(id, 'a'), 'a');
    const done = await Promise.all([skip(), skip()]);
    expect(done).toEqual([false, false]);
    expect(asked('POST plans/plan-1/steps/a/skip')).toBe(1);
    expect([one.refusal, one.isBusy('a')]).toEqual(['This step is running already.', false]);
    one.take(aPlan([aStep('a')], { number: 8 }));
    expect(one.refusal).not.toBeNull();
    one.takeChange(aPlan([aStep('a')], { number: 9 }));
    expect(one.refusal).toBeNull();
  });
});

describe('the queue of all plans', () => {
  const queued = { plan_id: 'plan-1', plan_title: 'A', cwd: '.', step: aStep('a') };

  it('is read while it is shown, also after events of runs', async () => {
    const { asked, happen, store } = open(aPlan([aStep('a')]), {
      'GET plan-queue': { items: [queued] }
    });
    happen({ type: 'run_waiting', run: aRun() });
    expect(store.queue).toBeNull();
    await store.turnTo('queue');
    expect(store.queue?.map(({ step }) => step.id)).toEqual(['a']);
    happen({ type: 'run_waiting', run: aRun() });
    await until(() => asked('GET plan-queue') === 2);
  });

  it('says why it cannot be read', async () => {
    const { store } = open(aPlan([]), {
      'GET plan-queue': refusal(503, 'unavailable', 'The server is stopping.')
    });
    await store.turnTo('queue');
    expect(store.queueProblem).toBe('The server is stopping.');
  });

  it('leads to a step on the page of its plan', async () => {
    const { store } = open(aPlan([aStep('a')]), {
      'GET plan-queue': { items: [queued] },
      'GET plans/plan-1/steps/a': { step: aStep('a'), artifacts: [], receives: [] }
    });
    await store.turnTo('queue');
    store.follow(store.queue![0]);
    expect([store.page, store.open?.id, store.open?.stepId]).toEqual(['plans', 'plan-1', 'a']);
    await until(() => store.open?.step !== null);
  });
});

describe('a link to a step', () => {
  it('leads to it, also while something else is shown', async () => {
    const { store } = open(aPlan([aStep('a')]), {
      'GET plans/plan-1/steps/a': { step: aStep('a'), artifacts: [], receives: [] }
    });
    store.choose('plan-2');
    store.show({ kind: 'step', stepId: 'z' });
    await store.turnTo('queue');
    await store.showPlan('plan-1', 'a');
    expect([store.page, store.open?.id, store.open?.stepId]).toEqual(['plans', 'plan-1', 'a']);
    expect([store.form, store.open?.isStepGone]).toEqual([null, false]);
  });

  it('leaves a form alone that is about no step', async () => {
    const { store } = open(aPlan([]));
    store.show({ kind: 'import' });
    await store.showPlan('plan-1', null);
    expect([store.form?.kind, store.open?.plan?.id]).toEqual(['import', 'plan-1']);
  });

  it('says that the step, or the plan, is gone', async () => {
    const gone = refusal(404, 'not_found', 'There is no such plan.');
    const { answers, store } = open(aPlan([aStep('a')]), { 'GET plans/plan-9': gone });
    await store.showPlan('plan-1', 'z');
    expect([store.open?.isStepGone, store.open?.stepId]).toEqual([true, null]);
    store.open?.open('a');
    expect(store.open?.isStepGone).toBe(false);
    await store.showPlan('plan-9', 'a');
    expect([store.open?.isGone, store.open?.problem, store.open?.isStepGone]).toEqual([
      true,
      null,
      false
    ]);
    answers['GET plans/plan-9'] = refusal(503, 'unavailable', 'The server is stopping.');
    await store.open?.load();
    expect([store.open?.isGone, store.open?.problem]).toEqual([false, 'The server is stopping.']);
  });
});

describe('a checklist', () => {
  const lines = { items: [{ ...line('plan-1'), checklist: 'notes/PLAN.md' }] };

  it('leads to the plan that works it off', async () => {
    const { store } = open(aPlan([]), { 'GET plans': lines });
    await store.workThrough('notes/PLAN.md');
    expect([store.open?.id, store.form]).toEqual(['plan-1', null]);
  });

  it('leads to the form of a new plan otherwise, unless another form is open', async () => {
    const { store } = open(aPlan([]), { 'GET plans': lines });
    await store.workThrough('PLAN.md');
    const form = { kind: 'plan', plan: null, checklist: 'PLAN.md' };
    expect([store.open, store.form]).toEqual([null, form]);
    await store.workThrough('OTHER.md');
    expect(store.form).toEqual(form);
  });

  it('is missing after what needs it was refused, and can be chosen again', async () => {
    const checklist = { path: 'PLAN.md', domain: 'general' as const, verify: [], retries: 2 };
    const { answers, one, requests } = await shown(aPlan([], { checklist }), {
      'POST plans/plan-1/run': refusal(404, 'not_found', 'There is no file PLAN.md.')
    });
    answers['GET plans/plan-1'] = aPlan([], { checklist, checklist_missing: true });
    await one.changeWithFile((routes, id) => routes.run(id));
    expect([one.refusal, one.plan?.checklist_missing]).toEqual(['There is no file PLAN.md.', true]);
    answers['POST plans/plan-1/checklist'] = aPlan([], { checklist });
    await one.change((routes, id) => routes.chooseChecklist(id, 'NEW.md'));
    expect(requests.at(-1)).toMatchObject({ body: { path: 'NEW.md' } });
    expect([one.refusal, one.plan?.checklist_missing]).toEqual([null, false]);
    expect(missingText('PLAN.md', trans)).toContain('PLAN.md is missing');
  });

  it('is written into that form with its folder', () => {
    const draft = checklistDraft('notes/PLAN.md', 'x'.repeat(300));
    expect([draft.folder, draft.checklist, draft.title.length]).toEqual([
      'notes',
      'notes/PLAN.md',
      200
    ]);
    expect(checklistDraft('PLAN.md', 'Work').folder).toBe('');
    const written = { ...draft, domain: 'coding' as const, verify: 'make\ntest' };
    expect(planFields(written, null).checklist).toEqual({
      path: 'notes/PLAN.md',
      domain: 'coding',
      verify: ['make', 'test'],
      retries: 2
    });
  });
});

describe('a breakdown', () => {
  it('shows how it goes as soon as it was asked for', async () => {
    const { answers, one } = await shown(aPlan([]), {
      'POST plans/plan-1/breakdown': aRun()
    });
    const breakdown = {
      run_id: 'run-1',
      state: 'running' as const,
      problem: '',
      corrected: false,
      added: 0
    };
    answers['GET plans/plan-1'] = aPlan([], { number: 2, breakdown });
    await one.breakDown({ instruction: '- greet' });
    expect(one.plan?.breakdown?.state).toBe('running');
    answers['POST plans/plan-1/breakdown'] = refusal(409, 'conflict', 'Already.');
    await expect(one.breakDown({ instruction: '- greet' })).rejects.toThrow('Already.');
  });
});

describe('what can be done with a step', () => {
  const verbs = (state: 'failed' | 'queued' | 'running', change = {}) =>
    verbsOf(aStep('a', { state, ...change }), { state: 'running' });

  it('depends on its state', () => {
    expect(verbs('running', { run_id: 'r' })).toEqual([]);
    expect(verbs('running')).toEqual(['skip', 'report']); // its next run may never be queued
    expect(verbs('queued')[0]).toBe('unqueue');
    expect(verbsOf(aStep('a', { state: 'queued' }), { state: 'paused' })[0]).toBe('run');
  });

  it('is not to run a step that waits for a failed one, however far before', () => {
    const chain = (state: 'failed' | 'running', plan: 'failed' | 'paused') => {
      const steps = [
        aStep('a', { state }),
        aStep('b', { depends_on: ['a'], state: 'queued' }),
        aStep('c', { depends_on: ['b'], state: 'queued' }),
        aStep('d', { state: 'queued' })
      ];
      return steps.map(step => verbsOf(step, { state: plan, steps }).includes('run'));
    };
    expect(chain('failed', 'failed')).toEqual([false, false, false, true]);
    expect(chain('running', 'paused')).toEqual([false, true, true, true]);
  });

  it('is to split only what has not succeeded, and what nothing has begun after', () => {
    const canSplit = (change: object, after: 'pending' | 'done' = 'pending') => {
      const step = aStep('a', change);
      const steps = [step, aStep('b', { depends_on: ['a'], state: after })];
      return verbsOf(step, { state: 'running', steps }).includes('split');
    };
    expect(
      (['pending', 'queued', 'failed', 'blocked'] as const).every(state => canSplit({ state }))
    ).toBe(true);
    expect((['running', 'done', 'skipped'] as const).some(state => canSplit({ state }))).toBe(
      false
    );
    expect([canSplit({}, 'done'), canSplit({ task: 'Write the tests' })]).toEqual([false, false]);
  });

  it('is to resume only a session that can continue', () => {
    expect(verbs('failed')).not.toContain('resume');
    expect(verbs('failed', { work_run_id: 'run-1' })).toContain('resume');
    expect(verbs('failed', { work_run_id: 'run-1', command: ['make'] })).not.toContain('resume');
  });
});

describe('the forms', () => {
  it('unfold the settings that most plans leave as they are where a plan has one', () => {
    const usual = planDraft(null);
    expect(hasRareSettings({ ...usual, title: 'Tidy', evaluation: 'propose' })).toBe(false);
    expect(hasRareSettings({ ...usual, folder: 'notes' })).toBe(true);
    expect(hasRareSettings({ ...usual, isCommitted: true })).toBe(true);
  });

  it('send what was written, and leave to the server what was not', () => {
    const draft = { ...planDraft(null), title: ' Tidy ', folder: '/data/', worker: 'agent:scout' };
    expect(planFields({ ...draft, permissionMode: 'ask' }, null)).toMatchObject({
      title: 'Tidy',
      cwd: 'data/',
      agent: 'scout',
      runtime: null,
      permission_mode: null,
      isolate: null
    });
    const step = { ...stepDraft(null), title: 'Check', worker: 'runtime:demo' };
    expect(stepFields(step)).toMatchObject({ runtime: 'demo', agent: null, cwd: null });
    expect(stepFields({ ...step, command: 'make\n' })).toMatchObject({
      command: ['make'],
      runtime: null
    });
  });

  it('give back what they were opened with', () => {
    const plan = aPlan([], { cwd: 'data', runtime: 'demo', model: 'fast', isolate: true });
    expect(planFields(planDraft(plan), plan)).toMatchObject({
      cwd: 'data',
      runtime: 'demo',
      model: 'fast',
      isolate: true
    });
    const other = { ...planDraft(plan), worker: 'runtime:claude' };
    expect(planFields(other, plan).model).toBeNull();
    const step = aStep('a', { depends_on: ['b'], verify: ['python', 'my check.py'], retries: 3 });
    expect(stepFields(stepDraft(step))).toMatchObject({
      depends_on: ['b'],
      verify: ['python', 'my check.py'],
      retries: 3
    });
  });

  it('split a step into at least two, and keep what was written in the others', () => {
    const { isInOrder, parts } = splitDraft();
    const more = withPart(
      parts.map((part, at) => ({ ...part, title: ` Part ${at} `, prompt: 'Do it' }))
    );
    expect(new Set(more.map(({ key }) => key)).size).toBe(3);
    const fewer = withoutPart(more, 0);
    expect(withoutPart(fewer, 1)).toBe(fewer);
    expect(splitFields({ isInOrder, parts: fewer })).toEqual({
      in_order: true,
      steps: [
        { title: 'Part 1', prompt: 'Do it' },
        { title: '', prompt: '' }
      ]
    });
  });

  it('read one argument in each line', () => {
    expect(argumentsOf('python\r\n-c\n print(1)\n\n')).toEqual(['python', '-c', ' print(1)']);
  });

  it('know who works', () => {
    expect(chosenWorker('')).toEqual({ agent: null, runtime: null });
    expect(workerOf(chosenWorker('agent:a:b'))).toBe('agent:a:b');
  });

  it('offer no dependency that would be a circle', () => {
    const steps = [
      aStep('a'),
      aStep('b', { depends_on: ['a'] }),
      aStep('c', { depends_on: ['b'] }),
      aStep('d')
    ];
    expect(possibleDependencies(steps, 'b').map(({ id }) => id)).toEqual(['a', 'd']);
    expect(possibleDependencies(steps, null)).toHaveLength(4);
  });

  it('keep what was written where the server refuses', async () => {
    const { client } = fakeServer({
      'POST plans': refusal(400, 'invalid', 'No such folder.', { field: 'cwd' })
    });
    const store = new DraftStore({ title: 'A', folder: 'x' }, { cwd: 'folder' });
    const send = () => client.ask('POST', 'plans', { body: { title: '' } });
    expect(await store.send(send)).toBe(false);
    expect([store.wrong.folder, store.refusal, store.draft.title]).toEqual([
      'No such folder.',
      null,
      'A'
    ]);
    store.write({ folder: 'y' });
    expect(store.wrong).toEqual({});
  });

  it('make a plan of a checklist with a limit, and keep both when settings are saved', () => {
    const draft = { ...planDraft(null), title: 'List', checklist: '/PLAN.md ', maxCost: '1,5' };
    const fields = planFields(draft, null);
    expect(fields.checklist?.path).toBe('PLAN.md');
    expect(fields.max_cost_usd).toBe(1.5);
    const checklist = { path: 'PLAN.md', domain: 'coding' as const, verify: ['make'], retries: 1 };
    const plan = aPlan([], { checklist, max_cost_usd: 2 });
    expect(planFields(planDraft(plan), plan)).toMatchObject({ checklist, max_cost_usd: 2 });
    expect(planFields({ ...planDraft(plan), maxCost: '' }, plan).max_cost_usd).toBeNull();
    const limits = { commit: true, max_runs: 3, max_minutes: 1.5 };
    const limited = aPlan([], limits);
    expect(planFields(planDraft(limited), limited)).toMatchObject(limits);
    expect(planFields({ ...planDraft(limited), maxRuns: 'ten' }, limited).max_runs).toBe(0); // refused
  });
});

describe('the words', () => {
  it('count what is not zero', () => {
    const steps = [aStep('a', { state: 'done' }), aStep('b', { state: 'failed' }), aStep('c')];
    expect(countsText(aPlan(steps), trans)).toBe('1 of 3 done, 1 failed');
    expect(countsText(aPlan([]), trans)).toBe('No steps yet');
    const skipped = [...steps, aStep('d', { state: 'skipped' }), aStep('e', { state: 'blocked' })];
    expect(countsText(aPlan(skipped), trans)).toBe('1 of 5 done, 1 skipped, 1 failed, 1 blocked');
  });

  it('count a step that waits as waiting, and say of a paused plan that a step is still running', () => {
    const runs = aStep('a', { state: 'running' });
    const waits = aStep('b', { state: 'running', waits: 'All agents are paused by Ada Lind.' });
    expect(countsText(aPlan([runs, waits]), trans)).toBe('0 of 2 done, 1 running, 1 waiting');
    expect(countsText(aPlan([waits]), trans)).toBe('0 of 1 done, 1 waiting');
    const paused = aPlan([runs, aStep('c', { state: 'queued' })], { state: 'paused' });
    expect(countsText(paused, trans)).toBe('0 of 2 done, 1 still running, 1 queued');
  });

  it('tell a plan that is blocked from one that has failed', () => {
    expect(planLabel('blocked', trans)).toEqual({ label: 'Blocked', icon: 'warning' });
    expect(planLabel('failed', trans)).toEqual({ label: 'Failed', icon: 'error' });
  });

  it('say that a step waits whose run waits, as while all agents are paused', () => {
    const step = aStep('a', { state: 'running', phase: 'verify' });
    expect(stepStateText(step, trans)).toBe('Running: Verify command');
    const waits = 'All agents are paused by Ada Lind.';
    expect(stepStateText({ ...step, waits }, trans)).toBe('Waiting: Verify command');
    expect(stepLabel({ ...step, waits }, trans).icon).toBe('clock');
    expect(stepReason({ ...step, waits })).toBe(waits);
    expect(stepLabel(aStep('b', { state: 'queued', waits }), trans).label).toBe('Queued');
  });

  it('say why a step waits, failed or is blocked', () => {
    expect(stepReason(aStep('a', { state: 'queued', waits: 'Waits for “b”.' }))).toBe(
      'Waits for “b”.'
    );
    expect(stepReason(aStep('a', { state: 'blocked', blocker: 'Log in.', reason: 'No' }))).toBe(
      'Log in.'
    );
    expect(stepReason(aStep('a', { state: 'failed', reason: 'It broke.' }))).toBe('It broke.');
  });

  it('say of a run that succeeded whether the step reported that it failed', () => {
    const label = (problem: PlanStep['runs'][number]['problem'], state = 'succeeded') =>
      stepRunLabel({ problem, state }, trans);
    expect(label(null)).toEqual({ label: 'Succeeded', icon: 'success' });
    expect(label('reported_failed')).toEqual({
      label: 'Ended, and reported that the step failed',
      icon: 'error'
    });
    expect(label('reported_blocked')).toEqual({
      label: 'Ended, and reported that the step is blocked',
      icon: 'warning'
    });
    expect(label('no_result')).toEqual({ label: 'Ended without a result', icon: 'error' });
    expect(label(null, '').label).toBe('Running');
  });

  it('name the file of a plan', () => {
    expect(fileName('Tidy: the /data!')).toBe('tidy-the-data.yaml');
    expect(fileName('…')).toBe('plan.yaml');
  });
});

describe('the button that starts a plan', () => {
  const label = (...steps: PlanStep[]) => runLabel(aPlan(steps), trans).label;

  it('runs again what has failed if nothing else can begin', () => {
    const failed = aStep('a', { state: 'failed' });
    const behind = aStep('b', { depends_on: ['a'], state: 'queued' });
    expect(label(failed, behind)).toBe('Retry');
    expect(label(aStep('a', { state: 'blocked' }), behind)).toBe('Retry');
    expect(label(failed, behind, aStep('c'))).toBe('Run');
    expect(label(aStep('a', { state: 'skipped' }), behind)).toBe('Run');
  });

  it('needs a step, or a checklist that may have tasks', () => {
    const checklist = { path: 'a.md', domain: 'general', verify: [], retries: 2 } as const;
    expect(whyNotRun(aPlan([]), trans)).toContain('no steps yet');
    expect(whyNotRun(aPlan([aStep('a')]), trans)).toBeNull();
    expect(whyNotRun(aPlan([], { checklist: checklist as never }), trans)).toBeNull();
  });
});
