import { ApiError } from '../../../api/client';
import type { AgentDetail } from '../../../api/types';
import { PersonaForm } from './personaForm';
import { valueOf } from './personaText';
import { withName } from './nameList';

const agent = (fields: object, etag: string) => ({ fields, etag }) as AgentDetail;

function made(
  fields: object = { name: 'Ada', role: 'Reads', goals: [{ metric: 'x' }], hooks: [{}] }
) {
  const sent: [Record<string, unknown>, string][] = [];
  const server = {
    answer: async (): Promise<AgentDetail> => agent(fields, 'e1'),
    now: async (): Promise<AgentDetail> => agent(fields, 'e1')
  };
  const save = (given: Record<string, unknown>, etag: string) => {
    sent.push([given, etag]);
    return server.answer();
  };
  const read = () => server.now();
  return { form: new PersonaForm(save, agent(fields, 'e1'), read), sent, server };
}

describe('the fields of a persona', () => {
  it('are sent as they were changed, under the version that was read', async () => {
    const { form, sent, server } = made();
    expect(form.field('hooks').before).toBeNull();
    form.write('role', 'Finds');
    form.write('name', 'Bea');
    form.write('name', 'Ada');
    server.answer = async () => agent({ name: 'Ada', role: 'Finds' }, 'e2');
    await form.save();
    expect(sent).toEqual([[{ role: 'Finds' }, 'e1']]);
    expect([form.isDirty, form.field('role').text]).toEqual([false, 'Finds']);
    await form.save();
    expect(sent).toHaveLength(1);
  });

  it('list skills in the order in which they were chosen, and none without a field', async () => {
    const { form, sent } = made({ name: 'Ada', skills: ['b'] });
    form.writeGroup('skills', withName(form.group('skills').value!, 'a', true));
    await form.save();
    form.writeGroup('skills', []);
    await form.save();
    expect(sent.map(([fields]) => fields)).toEqual([{ skills: ['b', 'a'] }, { skills: null }]);
    expect(made({ name: 'Ada', skills: 'b' }).form.group('skills').value).toBeNull();
  });

  it('are shown beside those of somebody else until the person has chosen', async () => {
    const { form, sent } = made();
    form.write('role', 'Mine');
    form.look(agent({ name: 'Bea', role: 'Theirs' }, 'e2'));
    expect([form.isConflict, form.field('role').theirs, form.field('name').theirs]).toEqual([
      true,
      'Theirs',
      null
    ]);
    await form.save();
    expect(sent).toEqual([]);
    form.keepMine();
    expect([form.field('role').text, form.field('name').text]).toEqual(['Mine', 'Bea']);
    await form.save();
    expect(sent).toEqual([[{ role: 'Mine' }, 'e2']]);
    form.write('role', 'Again');
    form.look(agent({ role: 'Theirs again' }, 'e3'));
    form.takeTheirs();
    expect([form.isDirty, form.field('role').text]).toEqual([false, 'Theirs again']);
  });

  it('have what the server has refused of each, until they are written again', async () => {
    const { form, server } = made();
    const errors = [
      { field: 'heartbeat', message: '.agents/ada/persona.md: heartbeat: It is never due.' },
      { field: 'goals[1].unit', message: 'Too long.' }
    ];
    const refuse = (detail: object) => () =>
      Promise.reject(new ApiError(400, 'invalid', 'Wrong.', { ...detail }));
    server.answer = refuse({ field: 'heartbeat', errors });
    form.write('role', 'Mine');
    await form.save();
    expect([form.wrong, form.refusal]).toEqual([
      { schedule: 'It is never due.', 'goals[1].unit': 'Too long.' },
      null
    ]);
    form.write('role', 'Mine again');
    expect(form.wrong).toEqual({});
    server.answer = refuse({ field: 'hooks' });
    await form.save();
    expect([form.wrong, form.refusal]).toEqual([{}, 'Wrong.']);
  });

  it('stay where they were refused, and what is written while they are saved is not lost', async () => {
    const { form, server } = made();
    server.answer = () => Promise.reject(new Error('It is out of reach.'));
    form.write('role', 'Mine');
    await form.save();
    expect([form.refusal, form.field('role').text]).toEqual(['It is out of reach.', 'Mine']);
    let answer: (saved: AgentDetail) => void = () => undefined;
    server.answer = () => new Promise(resolve => (answer = resolve));
    const saving = form.save();
    form.write('name', 'Later');
    answer(agent({ name: 'Ada', role: 'Mine' }, 'e2'));
    await saving;
    expect([form.isDirty, form.isConflict, form.field('name').text]).toEqual([
      true,
      false,
      'Later'
    ]);
  });

  it('that somebody has changed without a word are shown after the refusal', async () => {
    const { form, sent, server } = made();
    form.write('role', 'Mine');
    server.answer = () => Promise.reject(new Error('It was changed.'));
    server.now = async () => agent({ name: 'Ada', role: 'By hand' }, 'e2');
    await form.save();
    expect([form.isConflict, form.field('role').theirs]).toEqual([true, 'By hand']);
    form.keepMine();
    server.answer = async () => agent({ name: 'Ada', role: 'Mine' }, 'e3');
    await form.save();
    expect(sent.map(([, etag]) => etag)).toEqual(['e1', 'e2']);
    expect(form.isDirty).toBe(false);
  });

  it('are no conflict with oneself where the news overtakes the answer, or the answer is lost', async () => {
    const { form, server } = made();
    form.write('role', 'Mine');
    let answer: (saved: AgentDetail) => void = () => undefined;
    server.answer = () => new Promise(resolve => (answer = resolve));
    const saving = form.save();
    form.look(agent({ name: 'Ada', role: 'Mine' }, 'e2'));
    expect(form.isConflict).toBe(false);
    answer(agent({ name: 'Ada', role: 'Mine' }, 'e2'));
    await saving;
    expect([form.isDirty, form.isConflict]).toEqual([false, false]);
    form.write('role', 'Again');
    server.answer = () => Promise.reject(new Error('lost'));
    server.now = async () => agent({ name: 'Ada', role: 'Again' }, 'e3');
    await form.save();
    expect([form.isDirty, form.isConflict]).toEqual([false, false]);
  });

  it('that are wrong are said, and not sent', async () => {
    const { form, sent } = made();
    expect(form.group('goals').value).toMatchObject([{ metric: 'x', target: '' }]);
    expect(form.wrong).toEqual({}); // it was so before
    form.write('timezone', 'Atlantis');
    await form.save();
    expect([form.wrong, form.isTried, form.isBusy, sent]).toEqual([
      { timezone: 'zone' },
      true,
      false,
      []
    ]);
    form.write('timezone', 'Europe/Paris');
    await form.save();
    expect(sent).toEqual([[{ timezone: 'Europe/Paris' }, 'e1']]);
    expect(form.isTried).toBe(false);
  });

  it('of several groups are saved at once', async () => {
    const { form, sent } = made({ provider: 'claude-code', heartbeat: '0 8 * * *' });
    expect(form.field('runtime').text).toBe('claude-code');
    form.writeGroup('schedule', { ...form.group('schedule').value!, kind: 'none' });
    form.writeGroup('tools', { set: 'full', allowed: [] });
    form.write('active', 'false');
    form.look(agent({ tool_preset: 'none' }, 'e2'));
    expect([form.group('tools').theirs, form.group('schedule').theirs]).toEqual(['', null]);
    form.keepMine();
    await form.save();
    expect(sent).toEqual([
      [{ heartbeat_enabled: false, allowed_tools: null, tool_preset: 'full', active: false }, 'e2']
    ]);
  });

  it('show the description of an agent without a role as its role', () => {
    expect(made({ description: 'Keeps the books' }).form.field('role').text).toBe(
      'Keeps the books'
    );
    expect(made({ description: 'Long', role: 'Short' }).form.field('role').text).toBe('Short');
  });

  it('that are as they were are not changed', () => {
    const { form } = made({ heartbeat: '0 8 * * *' });
    const schedule = form.group('schedule').value!;
    form.writeGroup('schedule', { ...schedule, kind: 'cron' });
    expect([form.isDirty, form.group('schedule').value!.kind]).toEqual([true, 'cron']);
    form.writeGroup('schedule', { ...schedule, cron: '0 9 * * *' });
    expect(form.isDirty).toBe(false);
  });

  it('are as YAML has them', () => {
    expect([valueOf('budget', '5'), valueOf('budget', 'x'), valueOf('role', ' ')]).toEqual([
      5,
      'x',
      null
    ]);
    expect([valueOf('active', 'false'), valueOf('isolate', 'true')]).toEqual([false, true]);
    expect(valueOf('tags', 'a, ,b')).toEqual(['a', 'b']);
  });
});
