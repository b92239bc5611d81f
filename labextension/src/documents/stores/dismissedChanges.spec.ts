import { DismissedChanges, type DismissalStorage } from './dismissedChanges';

function browser(): DismissalStorage & { text: string | null } {
  return {
    text: null,
    getItem() {
      return this.text;
    },
    setItem(_, text) {
      this.text = text;
    }
  };
}

describe('DismissedChanges', () => {
  it('survives a reload, for each document of a run, and forgets the oldest', () => {
    const storage = browser();
    new DismissedChanges(storage, 'key').add('run-1', 'a.md');
    const again = new DismissedChanges(storage, 'key');
    expect([again.has('run-1', 'a.md'), again.has('run-1', 'b.md')]).toEqual([true, false]);
    for (let number = 0; number < 300; number += 1) {
      again.add('run-2', `${number}.md`);
    }
    expect([again.has('run-1', 'a.md'), again.has('run-2', '0.md')]).toEqual([false, true]);
  });

  it('does without a storage', () => {
    const broken = {
      getItem: () => '{"no": "list"}',
      setItem: () => {
        throw new Error('full');
      }
    };
    const dismissed = new DismissedChanges(broken, 'key');
    dismissed.add('run-1', 'a.md');
    expect(dismissed.has('run-1', 'a.md')).toBe(false);
  });
});
