/** @jest-environment node */
import type { Attachment } from '../../api/types';
import { DraftStore } from './drafts';

const piece = (kind: Attachment['kind'], text: string): Attachment => ({ kind, title: kind, text });

describe('DraftStore', () => {
  it('keeps what is written for each document, and for none', () => {
    const drafts = new DraftStore();
    drafts.write('a.md', 'one');
    drafts.write(null, 'two');
    expect([drafts.get('a.md').text, drafts.get('b.md').text, drafts.get(null).text]).toEqual([
      'one',
      '',
      'two'
    ]);
  });

  it('tells of a change, and not of the same text again', () => {
    const drafts = new DraftStore();
    const told = jest.fn();
    drafts.changed.connect(told);
    drafts.write('a.md', 'one');
    drafts.write('a.md', 'one');
    expect(told).toHaveBeenCalledTimes(1);
  });

  it('has one attachment of each kind, the newest', () => {
    const drafts = new DraftStore();
    drafts.attach('a.md', piece('selection', 'old'));
    drafts.attach('a.md', piece('cell', 'c'));
    drafts.attach('a.md', piece('selection', 'new'));
    expect(drafts.get('a.md').attachments.map(({ text }) => text)).toEqual(['c', 'new']);
    drafts.detach('a.md', 'cell');
    expect(drafts.get('a.md').attachments.map(({ text }) => text)).toEqual(['new']);
  });

  it('forgets text and attachments of one document when they are sent', () => {
    const drafts = new DraftStore();
    drafts.write('a.md', 'one');
    drafts.attach('a.md', piece('cell', 'c'));
    drafts.write('b.md', 'two');
    drafts.clear('a.md');
    expect(drafts.get('a.md')).toEqual({ text: '', attachments: [] });
    expect(drafts.get('b.md').text).toBe('two');
  });

  it('goes with a folder that is renamed', () => {
    const drafts = new DraftStore();
    drafts.write('data/a.md', 'one');
    drafts.moved('data', 'old');
    expect([drafts.get('data/a.md').text, drafts.get('old/a.md').text]).toEqual(['', 'one']);
  });
});
