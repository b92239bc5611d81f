import { nullTranslator } from '@jupyterlab/translation';

import { offlineText } from './offline';

const trans = nullTranslator.load('jupyterlab');

describe('offlineText', () => {
  it('is the reason that the server gives, with what cannot be seen in it shown', () => {
    const problem = 'The database /a\u202eb could not be opened.';
    const text = offlineText({ problem, lastSeen: new Date() }, trans);
    expect(text).toContain('could not be opened.');
    expect(text).not.toContain('\u202e');
  });

  it('says since when what is shown is old where nobody answers', () => {
    expect(offlineText({ problem: null, lastSeen: new Date() }, trans)).toMatch(
      /^Not connected\. Showing the state as of /
    );
    expect(offlineText({ problem: null, lastSeen: null }, trans)).toBe('Not connected.');
  });

  it('does not claim to show a state where nothing is shown', () => {
    expect(offlineText({ problem: null, lastSeen: new Date() }, trans, true)).toBe(
      'Not connected. The content will appear when the server responds.'
    );
  });
});
