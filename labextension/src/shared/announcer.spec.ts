/** @jest-environment node */
import { Announcer, type IAnnouncement } from './announcer';

describe('Announcer', () => {
  function heard() {
    const announcer = new Announcer();
    const all: IAnnouncement[] = [];
    announcer.said.connect((_, announcement) => all.push(announcement));
    return { announcer, all };
  }

  it('passes on what may wait and what may not', () => {
    const { announcer, all } = heard();
    announcer.polite('Queued.');
    announcer.urgent('Denied.');
    expect(all).toEqual([
      { text: 'Queued.', urgent: false },
      { text: 'Denied.', urgent: true }
    ]);
  });

  it('says nothing where there is nothing to say', () => {
    const { announcer, all } = heard();
    announcer.say(null);
    expect(all).toEqual([]);
  });
});
