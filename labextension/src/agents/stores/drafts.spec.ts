import { Drafts, Words } from './drafts';

describe('words that are about to be sent', () => {
  it('stay under their name until they are sent, with what was written meanwhile', () => {
    const drafts = new Drafts();
    const words = drafts.of('message', () => new Words());
    words.write('Where are');
    expect(drafts.unsaved).toEqual(['message']);
    const sending = words.text;
    words.write('Where are the sources?');
    words.sent(sending);
    expect(drafts.of('message', () => new Words()).text).toBe('Where are the sources?');
    words.sent('Where are the sources?');
    expect(drafts.unsaved).toEqual([]);
  });
});
