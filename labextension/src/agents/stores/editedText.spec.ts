import { ApiError } from '../../api/client';
import { EditedText, type IVersion } from './editedText';

/** A text on a server that anybody may change. */
function place(text: string) {
  const there = { text, etag: `etag of ${text}` };
  const change = (next: string) => Object.assign(there, { text: next, etag: `etag of ${next}` });
  return {
    there,
    change,
    read: (): Promise<IVersion> => Promise.resolve({ ...there }),
    write: (next: string, etag: string) => {
      if (etag !== there.etag) {
        return Promise.reject(new ApiError(409, 'conflict', 'It was changed meanwhile.', {}));
      }
      change(next);
      return Promise.resolve({ etag: there.etag });
    }
  };
}

async function opened(text: string) {
  const at = place(text);
  const edited = new EditedText(at);
  await edited.look();
  return { at, edited };
}

it('saves what was changed, and only that', async () => {
  const { at, edited } = await opened('one');
  expect(edited.isDirty).toBe(false);
  edited.edit('two');
  await edited.save();
  expect(at.there.text).toBe('two');
  expect(edited.isDirty).toBe(false);
  edited.edit('three');
  edited.revert();
  expect(edited.draft).toBe('two');
});

it('says no more why a text was refused when that text is discarded', async () => {
  const at = place('one');
  const write = () => Promise.reject(new ApiError(400, 'invalid', 'Line 2 cannot be read.', {}));
  const edited = new EditedText({ read: at.read, write });
  await edited.look();
  edited.edit('[');
  await edited.save();
  expect(edited.problem).toBe('Line 2 cannot be read.');
  edited.revert();
  expect([edited.draft, edited.problem]).toEqual(['one', null]);
});

it('follows changes of others while nothing was edited', async () => {
  const { at, edited } = await opened('one');
  at.change('theirs');
  await edited.look();
  expect(edited.draft).toBe('theirs');
  expect(edited.theirs).toBeNull();
});

it('keeps both texts where two people have changed it, until one is chosen', async () => {
  const { at, edited } = await opened('one');
  edited.edit('mine');
  at.change('theirs');
  await edited.save();
  expect(at.there.text).toBe('theirs');
  expect([edited.draft, edited.theirs?.text]).toEqual(['mine', 'theirs']);
  await edited.save();
  expect(at.there.text).toBe('theirs'); // nothing is written before the choice
  edited.keepMine();
  await edited.save();
  expect(at.there.text).toBe('mine');
});

it('shows the newest of several other versions, and takes it where the person says so', async () => {
  const { at, edited } = await opened('one');
  edited.edit('mine');
  at.change('first');
  await edited.look();
  at.change('second');
  await edited.look();
  expect(edited.theirs?.text).toBe('second');
  edited.takeTheirs();
  expect([edited.draft, edited.isDirty, edited.theirs]).toEqual(['second', false, null]);
});

it('sees no conflict where both have written the same, or the other change was reverted', async () => {
  const { at, edited } = await opened('one');
  edited.edit('same');
  at.change('same');
  await edited.look();
  expect([edited.theirs, edited.isDirty]).toEqual([null, false]);
  edited.edit('mine');
  at.change('theirs');
  await edited.look();
  at.change('same');
  await edited.look();
  expect([edited.theirs, edited.draft]).toEqual([null, 'mine']);
});

it('keeps the draft where the server refuses or is away, and says why', async () => {
  const { at, edited } = await opened('one');
  edited.edit('mine');
  at.write = () => Promise.reject(new ApiError(507, 'no_room', 'There is no room.', {}));
  await edited.save();
  expect([edited.draft, edited.problem, edited.isBusy]).toEqual([
    'mine',
    'There is no room.',
    false
  ]);
});

it('does not take a late answer for the newest', async () => {
  const { at, edited } = await opened('one');
  let answer: (found: IVersion) => void = () => undefined;
  at.read = () => new Promise(resolve => (answer = resolve));
  const looking = edited.look();
  edited.edit('two');
  await edited.save();
  answer({ text: 'one', etag: 'etag of one' });
  await looking;
  expect([edited.draft, edited.theirs]).toEqual(['two', null]);
});
