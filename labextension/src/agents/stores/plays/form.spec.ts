import type { PlayDetail } from '../../../api/types';
import { fakePlays } from '../../../testing/fakePlays';
import { refusal } from '../../../testing/fakes';
import { aPlay } from '../../../testing/samples';
import { NO_SCHEDULE } from './draft';
import { EditedPlay, NewPlayForm } from './form';

describe('the form of a play', () => {
  it('saves changed fields with the etag of the version that was read', async () => {
    const play = aPlay('digest', { fields: { title: 'Old' } as unknown as PlayDetail['fields'] });
    const { playbook, server } = await fakePlays([play]);
    server.answers['PUT plays/digest'] = body => ({
      json: { ...play, etag: 'e2', ...(body as object) }
    });
    const form = new EditedPlay(playbook, play);
    expect(form.isDirty).toBe(false);
    form.write({ title: 'New' });
    expect(await form.save()).toBe(true);
    expect(server.requests.at(-1)?.body).toEqual({ fields: { title: 'New' }, etag: 'e1' });
    expect(form.isDirty).toBe(false);
  });

  it('resolves a conflict with either version, and keeps fields that only the other person changed', async () => {
    const of = (fields: object, etag: string) =>
      aPlay('digest', { etag, fields: fields as unknown as PlayDetail['fields'] });
    const { playbook, server } = await fakePlays([of({}, 'e1')]);
    const form = new EditedPlay(playbook, of({ title: 'Old', category: 'a' }, 'e1'));
    form.write({ title: 'Mine' });
    form.look(of({ title: 'Theirs', category: 'b' }, 'e2'));
    expect(form.isConflict).toBe(true);
    expect(await form.save()).toBe(false);
    expect(server.requests.some(({ line }) => line.startsWith('PUT'))).toBe(false);
    form.keepMine();
    expect([form.draft.title, form.draft.category, form.isConflict]).toEqual(['Mine', 'b', false]);
    server.answers['PUT plays/digest'] = { ...of({ title: 'Mine', category: 'b' }, 'e3') };
    await form.save();
    expect(server.requests.at(-1)?.body).toEqual({ fields: { title: 'Mine' }, etag: 'e2' });
    form.write({ title: 'Again' });
    form.look(of({ title: 'Theirs again' }, 'e4'));
    form.takeTheirs();
    expect([form.draft.title, form.isDirty]).toEqual(['Theirs again', false]);
  });

  it('keeps edits made during a save, and does not conflict with its own save', async () => {
    const of = (title: string, etag: string) =>
      aPlay('digest', { etag, fields: { title } as unknown as PlayDetail['fields'] });
    const { playbook, server } = await fakePlays([of('Old', 'e1')]);
    server.answers['PUT plays/digest'] = of('Mine', 'e2');
    const form = new EditedPlay(playbook, of('Old', 'e1'));
    form.write({ title: 'Mine' });
    const saving = form.save();
    form.write({ category: 'news' });
    form.look(of('Mine', 'e2'));
    expect(form.isConflict).toBe(false);
    expect(await saving).toBe(true);
    expect([form.draft.title, form.draft.category, form.isConflict]).toEqual([
      'Mine',
      'news',
      false
    ]);
    server.answers['PUT plays/digest'] = refusal(409, 'conflict', 'It was changed.');
    server.answers['GET plays/digest'] = of('By hand', 'e3');
    expect(await form.save()).toBe(false);
    expect([form.isConflict, form.theirs.title]).toEqual([true, 'By hand']);
  });

  it('keeps its values if the server refuses them, and shows the reason at the field', async () => {
    const { playbook, server } = await fakePlays([]);
    const form = new NewPlayForm(playbook, () => ['digest']);
    form.write({ title: 'Digest' });
    expect(form.wrong).toMatchObject({ slug: 'play_taken', body: 'body' });
    expect(await form.create()).toBeNull();
    expect(form.isTried).toBe(true);
    form.name('weekly');
    form.write({ title: 'Weekly digest' });
    expect(form.slug).toBe('weekly');
    form.instruct('Sum up.');
    const schedule = { ...NO_SCHEDULE, type: 'cron' as const, cron: '0 0 31 2 *' };
    form.write({ schedule });
    const errors = [{ field: 'schedule', message: 'It is never due.' }];
    server.answers['POST plays'] = refusal(400, 'invalid', 'It is never due.', { errors });
    expect(await form.create()).toBeNull();
    expect(form.wrong).toEqual({ schedule: 'It is never due.' });
    expect(form.body).toBe('Sum up.');
    form.write({ schedule: NO_SCHEDULE });
    expect(form.wrong).toEqual({});
    server.answers['POST plays'] = aPlay('weekly');
    expect((await form.create())?.slug).toBe('weekly');
    expect(server.requests.at(-1)?.body).toEqual({
      slug: 'weekly',
      fields: { title: 'Weekly digest' },
      body: 'Sum up.'
    });
  });

  it('shows at an empty field that a value is missing', async () => {
    const { store } = await fakePlays([]);
    const { form } = store.newPlay();
    expect(form.wrong).toEqual({ body: 'body' });
    expect(await form.create()).toBeNull();
    expect(form.wrong).toEqual({ title: 'untitled', body: 'body' });
    form.write({ title: 'Weekly digest' });
    expect(form.wrong).toEqual({ body: 'body' });
    form.name('');
    expect(form.wrong).toMatchObject({ slug: expect.anything() });
  });
});
