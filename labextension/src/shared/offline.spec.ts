import { nullTranslator } from '@jupyterlab/translation';

import { offlineText } from './offline';

const trans = nullTranslator.load('jupyterlab');

describe('offlineText', () => {
  it('is the reason that the server gives, with what cannot be seen in it shown', () => {
    const problem = 'The database /a\u202eb could not be opened.';
    const text = offlineText({ isLoggedOut: false, problem, lastSeen: new Date() }, trans);
    expect(text).toContain('could not be opened.');
    expect(text).not.toContain('\u202e');
  });

  it('says since when what is shown is old where nobody answers', () => {
    expect(offlineText({ isLoggedOut: false, problem: null, lastSeen: new Date() }, trans)).toMatch(
      /^Not connected\. Showing the state as of /
    );
    expect(offlineText({ isLoggedOut: false, problem: null, lastSeen: null }, trans)).toBe(
      'Not connected.'
    );
  });

  it('says that a person is logged out, whatever else is the case', () => {
    const state = { isLoggedOut: true, problem: 'Log in first.', lastSeen: new Date() };
    expect(offlineText(state, trans, true)).toBe('You are logged out. Log in again to continue.');
  });

  it('does not claim to show a state where nothing is shown', () => {
    expect(
      offlineText({ isLoggedOut: false, problem: null, lastSeen: new Date() }, trans, true)
    ).toBe('Not connected. The content will appear when the server responds.');
  });
});
