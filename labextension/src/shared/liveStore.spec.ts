import { Signal } from '@lumino/signaling';

import type { EventStream } from '../api/events';
import type { CabinetEvent } from '../api/types';
import { LiveStore } from './liveStore';

const SOON = 300;

/** An answer for each question, which the test gives. */
class Numbers extends LiveStore {
  constructor(events: EventStream) {
    super(events);
    this.keepUp();
  }

  value: number | null = null;
  readonly answers: { resolve: (value: number) => void; reject: (reason: unknown) => void }[] = [];

  load(): Promise<void> {
    return this.latest(
      () => new Promise<number>((resolve, reject) => this.answers.push({ resolve, reject })),
      value => {
        this.value = value;
      }
    );
  }

  protected onEvent(_: CabinetEvent): void {
    this.rereadSoon(SOON);
  }

  protected reread(): void {
    void this.load();
  }
}

function stream() {
  const sender = {};
  const happened = new Signal<object, { type: string }>(sender);
  const missed: (() => void)[] = [];
  const onMissed = (read: () => void) => {
    missed.push(read);
    return () => missed.splice(missed.indexOf(read), 1);
  };
  const events = { happened, onMissed } as unknown as EventStream;
  return { events, happen: () => happened.emit({ type: 'plan_changed' }), missed };
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('drops an answer that comes after a newer question', async () => {
  const numbers = new Numbers(stream().events);
  const loads = [numbers.load(), numbers.load()];
  numbers.answers[1].resolve(2);
  numbers.answers[0].resolve(1);
  await Promise.all(loads);
  expect(numbers.value).toBe(2);
});

it('keeps what was read before when the server refuses, and says why', async () => {
  const numbers = new Numbers(stream().events);
  const load = numbers.load();
  numbers.answers[0].resolve(1);
  await load;
  const again = numbers.load();
  numbers.answers[1].reject(new Error('Not now.'));
  await again;
  expect([numbers.value, numbers.problem]).toEqual([1, 'Not now.']);
});

it('does not show why an older question was refused', async () => {
  const numbers = new Numbers(stream().events);
  const loads = [numbers.load(), numbers.load()];
  numbers.answers[0].reject(new Error('Not now.'));
  numbers.answers[1].resolve(2);
  await Promise.all(loads);
  expect([numbers.value, numbers.problem]).toEqual([2, null]);
});

it('reads once for all events of a short time', () => {
  const { events, happen } = stream();
  const numbers = new Numbers(events);
  happen();
  jest.advanceTimersByTime(SOON - 1);
  happen();
  expect(numbers.answers).toHaveLength(0);
  jest.advanceTimersByTime(1);
  expect(numbers.answers).toHaveLength(1);
  happen();
  jest.advanceTimersByTime(SOON);
  expect(numbers.answers).toHaveLength(2);
});

it('reads after events were missed, and no longer once it is disposed of', () => {
  const { events, happen, missed } = stream();
  const numbers = new Numbers(events);
  missed[0]();
  expect(numbers.answers).toHaveLength(1);
  happen();
  numbers.dispose();
  happen();
  jest.advanceTimersByTime(SOON);
  expect(numbers.answers).toHaveLength(1);
  expect(missed).toHaveLength(0);
});
