import { eventsUntil, marks, EMPTY_TIMELINE, partAt, withPart } from './asciicast';
import { LONGEST_IDLE, Player, type IPlayerScreen } from './player';

const HEADER = '{"version": 2, "width": 100, "height": 30, "timestamp": 1, "title": "x"}';
const line = (...event: unknown[]) => JSON.stringify(event);
const part = (...events: string[]) => [HEADER, ...events, ''].join('\n');

describe('a tape', () => {
  it('reads header, output, sizes and marks', () => {
    const timeline = withPart(
      EMPTY_TIMELINE,
      part(line(0.5, 'o', 'a'), line(1, 'r', '80x24'), line(2, 'm', 'Run 1'), line(2, 'i', 'no'))
    );
    expect(timeline.parts).toEqual([{ at: 0, first: 0, size: { cols: 100, rows: 30 } }]);
    expect(timeline.events.map(event => event.kind)).toEqual(['output', 'size', 'mark']);
    expect(timeline.events[1].size).toEqual({ cols: 80, rows: 24 });
    expect(timeline.seconds).toBe(2);
  });

  it.each([
    '[1.5, "o", "torn',
    '[1.5, "o"]',
    '{}',
    '',
    '[-1, "o", "x"]',
    '[1, "r", "0x9"]',
    'null'
  ])('passes over %s', torn => {
    const timeline = withPart(EMPTY_TIMELINE, `${HEADER}\n${line(1, 'o', 'a')}\n${torn}`);
    expect(timeline.events.map(event => event.data)).toEqual(['a']);
  });

  it('can be empty, or no tape at all', () => {
    expect(withPart(EMPTY_TIMELINE, '').events).toEqual([]);
    expect(withPart(EMPTY_TIMELINE, 'nonsense').parts[0].size).toEqual({ cols: 80, rows: 24 });
  });

  it('chains parts, each after the whole of the one before', () => {
    const first = withPart(EMPTY_TIMELINE, part(line(1, 'o', 'a')), 10);
    const both = withPart(first, part(line(0, 'o', 'b'), line(2, 'm', 'Run 2')), 3);
    expect(both.events.map(event => event.at)).toEqual([1, 10, 12]);
    expect(both.seconds).toBe(13);
    expect(partAt(both, 9.9).first).toBe(0);
    expect(partAt(both, 10).first).toBe(1);
    expect(marks(both).map(mark => mark.data)).toEqual(['Run 2']);
  });

  it('finds the events up to a time', () => {
    const timeline = withPart(EMPTY_TIMELINE, part(...[1, 2, 2, 3].map(at => line(at, 'o', 'x'))));
    expect([0, 1, 2, 2.5, 9].map(at => eventsUntil(timeline, at))).toEqual([0, 1, 3, 3, 4]);
  });
});

class Paper implements IPlayerScreen {
  text = '';
  sizes: string[] = [];

  resize({ cols, rows }: { cols: number; rows: number }): void {
    this.sizes.push(`${cols}x${rows}`);
  }

  reset(): void {
    this.text = '';
  }

  write(text: string): void {
    this.text += text;
  }
}

describe('Player', () => {
  let paper: Paper;
  let player: Player;

  beforeEach(() => {
    paper = new Paper();
    player = new Player(paper);
    const first = withPart(
      EMPTY_TIMELINE,
      part(line(0, 'o', 'a'), line(1, 'o', 'b'), line(1.5, 'r', '80x24'), line(11, 'o', 'c')),
      12
    );
    player.load(withPart(first, part(line(0, 'o', 'X'), line(1, 'o', 'Y')), 2));
  });

  it('shows the beginning and plays, until it is stopped', () => {
    expect([paper.text, player.playing]).toEqual(['a', true]);
    player.toggle();
    player.tick(1);
    expect(paper.text).toBe('a');
    player.toggle();
    player.tick(1);
    expect(paper.text).toBe('ab');
  });

  it('does not play an empty tape, and does not start again by itself when there is more', () => {
    const fresh = new Player(paper);
    fresh.load(withPart(EMPTY_TIMELINE, ''));
    expect(fresh.playing).toBe(false);
    player.toggle();
    player.load(withPart(player.timeline, part(line(1, 'o', 'later')), 2));
    expect(player.playing).toBe(false);
  });

  it('plays faster and slower', () => {
    player.setSpeed(0.5);
    player.tick(1);
    expect(paper.text).toBe('a');
    player.setSpeed(8);
    player.tick(0.1);
    expect(paper.text).toBe('ab');
  });

  it('shortens pauses on request', () => {
    player.seek(1.5);
    player.tick(LONGEST_IDLE - 0.1);
    expect(paper.text).toBe('ab');
    player.tick(0.2);
    expect(paper.text).toBe('abc');
    player.squeeze(false);
    player.seek(1.5);
    player.tick(5);
    expect(paper.text).toBe('ab');
  });

  it('begins each part with a new screen, and ends at the end', () => {
    player.seek(11);
    player.tick(100);
    expect(paper.text).toBe('XY');
    expect(player.playing).toBe(false);
    expect(player.ended).toBe(true);
    player.toggle(); // from the beginning
    expect([player.at, paper.text]).toEqual([0, 'a']);
  });

  it('seeks to and fro, with the size that was', () => {
    player.seek(12.5);
    expect(paper.text).toBe('X');
    paper.sizes = [];
    player.seek(11.5);
    expect(paper.text).toBe('abc');
    expect(paper.sizes).toEqual(['100x30', '80x24']);
    player.seek(-5);
    expect(player.at).toBe(0);
    player.seek(500);
    expect(player.at).toBe(14);
  });

  it('continues with a longer tape of a terminal that is open', () => {
    player.seek(14);
    player.tick(0.1);
    const longer = withPart(player.timeline, part(line(1, 'o', 'later')), 2);
    player.load(longer);
    expect(player.ended).toBe(false);
    player.toggle();
    player.tick(5);
    expect(paper.text).toBe('later');
  });
});
