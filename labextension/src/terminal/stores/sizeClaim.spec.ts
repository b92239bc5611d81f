import { FakeSocket, fakeServer } from '../../testing/fakes';
import { RESIZE_PAUSE_MS, SizeClaim } from './sizeClaim';
import { TerminalStore } from './terminal';

const ADA = { username: 'ada', display_name: 'Ada Lind' };
const BEN = { username: 'ben', display_name: 'Ben Okoro' };
const SMALL = { cols: 60, rows: 20 };
const PANE = { cols: 80, rows: 24 };
const LARGE = { cols: 120, rows: 40 };

describe('SizeClaim', () => {
  let store: TerminalStore;
  let claim: SizeClaim;
  let isHidden: boolean;

  const receive = (frame: object) => FakeSocket.last.receive(frame);
  const hello = (change: object = {}) =>
    receive({
      type: 'hello',
      grace_seconds: null,
      terminal: { id: 't' },
      you: { ...ADA, can_execute: true, primary: true },
      controller: ADA,
      requests: [],
      agent_state: null,
      size: PANE,
      viewers: [ADA],
      offset: 0,
      ...change
    });
  const otherTab = { you: { ...ADA, can_execute: true, primary: false } };
  const sent = () =>
    FakeSocket.last.frames
      .filter(({ type }) => type === 'resize')
      .map(({ cols, rows }) => ({ cols, rows }));
  const drag = (...panes: (typeof PANE)[]) => {
    panes.forEach(pane => claim.tell(pane));
    jest.advanceTimersByTime(RESIZE_PAUSE_MS);
  };

  beforeEach(() => {
    jest.useFakeTimers();
    isHidden = false;
    const screen = { size: PANE, reset: () => undefined, write: () => undefined };
    store = new TerminalStore(fakeServer().client, 't', screen);
    claim = new SizeClaim(store, () => isHidden);
    store.open();
    FakeSocket.last.open();
  });

  afterEach(() => {
    claim.dispose();
    store.dispose();
    jest.useRealTimers();
  });

  it('tells the last size of a pane that is being dragged, once', () => {
    hello();
    drag(SMALL, PANE, LARGE);
    expect(sent()).toEqual([LARGE]);
    drag(LARGE);
    expect(sent()).toEqual([LARGE]);
    expect(claim.followed).toBeNull();
  });

  it('tells nothing that the server knows', () => {
    hello();
    drag(PANE);
    expect(sent()).toEqual([]);
  });

  it('follows the size of whoever controls', () => {
    hello({ controller: BEN, size: LARGE });
    drag(SMALL);
    expect(sent()).toEqual([]);
    expect(claim.followed).toEqual(LARGE);
    receive({ type: 'resized', ...SMALL });
    expect(claim.followed).toEqual(SMALL);
  });

  it('takes the size with the control, in a tab that is seen', () => {
    hello({ controller: BEN, size: LARGE });
    receive({ type: 'control_granted', controller: ADA, requests: [] });
    drag(SMALL);
    expect(sent()).toEqual([SMALL]);
  });

  it('tells what its pane has become while somebody else had control', () => {
    hello({ controller: BEN, size: LARGE });
    drag(SMALL);
    receive({ type: 'control_granted', controller: ADA, requests: [] });
    receive({ type: 'resized', ...PANE }); // what this pane was when it was attached
    expect(claim.followed).toBeNull();
    drag(SMALL);
    expect(sent()).toEqual([SMALL]);
    receive({ type: 'resized', ...SMALL });
    receive({ type: 'resized', ...LARGE }); // another tab of hers
    expect(claim.followed).toEqual(LARGE);
  });

  it('leaves the size to another tab that had the size of this one', () => {
    hello({ controller: BEN, size: PANE });
    receive({ type: 'control_granted', controller: ADA, requests: [] });
    drag(SMALL);
    receive({ type: 'resized', ...SMALL });
    receive({ type: 'resized', ...PANE });
    drag(SMALL);
    expect([sent(), claim.followed]).toEqual([[SMALL], PANE]);
  });

  it('leaves the size to the other tab where this one is hidden', () => {
    isHidden = true;
    hello({ controller: BEN, size: LARGE });
    receive({ type: 'control_taken', controller: ADA });
    drag(SMALL);
    expect(sent()).toEqual([]);
    expect(claim.followed).toEqual(LARGE);
  });

  describe('in two tabs of the controller', () => {
    it('follows the tab used last', () => {
      hello({ ...otherTab, size: LARGE });
      drag(SMALL);
      expect(sent()).toEqual([]);
      expect(claim.followed).toEqual(LARGE);
    });

    it('gives the size again as soon as somebody types here, and says so once', () => {
      hello({ ...otherTab, size: LARGE });
      expect([claim.onTyped(), claim.onTyped()]).toEqual([true, false]);
      drag(SMALL);
      expect(sent()).toEqual([SMALL]);
    });

    it('follows when the other tab tells a size', () => {
      hello();
      drag(PANE);
      receive({ type: 'resized', ...LARGE });
      expect(claim.followed).toEqual(LARGE);
    });

    it('does not take its own sizes, that come back one after the other, for those of another tab', () => {
      hello();
      drag(SMALL);
      drag(LARGE);
      receive({ type: 'resized', ...SMALL });
      expect(claim.followed).toBeNull();
      receive({ type: 'resized', ...LARGE });
      expect(claim.followed).toBeNull();
    });

    it('counts again when its pane is resized by the person, where it was used last', () => {
      hello();
      drag(PANE);
      receive({ type: 'resized', ...LARGE });
      claim.onPane();
      drag(SMALL);
      expect(sent()).toEqual([SMALL]);
    });
  });

  it('tells nothing of a pane that is gone, or without a connection', () => {
    hello();
    claim.tell(SMALL);
    FakeSocket.last.drop();
    jest.advanceTimersByTime(RESIZE_PAUSE_MS);
    expect(sent()).toEqual([]);
    claim.tell(SMALL);
    claim.dispose();
    jest.advanceTimersByTime(RESIZE_PAUSE_MS);
    expect(sent()).toEqual([]);
  });

  it('tells nothing of a program that has ended', () => {
    hello();
    receive({ type: 'exited', code: 0, signal: null, ended_at: null });
    drag(SMALL);
    expect(sent()).toEqual([]);
  });
});
