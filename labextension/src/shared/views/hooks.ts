/**
 * React hooks that draw again when a store changes or time has passed.
 */
import type { ISignal } from '@lumino/signaling';
import * as React from 'react';

import type { ConnectionStore } from '../connection';

/** What is so far below or above the window is about to be seen. */
const NEARLY = '200px 0px';

/** Draw again whenever one of the signals fires. */
export function useChanges(...signals: ISignal<unknown, unknown>[]): void {
  const [, bump] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    const slot = () => bump();
    signals.forEach(signal => signal.connect(slot));
    bump(); // something may have changed between drawing and connecting
    return () => signals.forEach(signal => void signal.disconnect(slot));
    // The signals of a store are made once with it.
  }, signals);
}

/** Draw again when the signal fires, but at most once in so many milliseconds. The last firing is never lost. */
export function useSlowChanges(signal: ISignal<unknown, unknown>, milliseconds: number): void {
  const [, bump] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const draw = () => {
      timer = null;
      bump();
    };
    const slot = () => {
      timer ??= setTimeout(draw, milliseconds);
    };
    signal.connect(slot);
    bump();
    return () => {
      signal.disconnect(slot);
      clearTimeout(timer ?? undefined);
    };
  }, [signal, milliseconds]);
}

/** True once the element has been in the window, or nearly; it stays true. */
export function useSeen(element: React.RefObject<Element>): boolean {
  const [seen, see] = React.useState(false);
  React.useEffect(() => {
    if (seen || !element.current) {
      return;
    }
    const observer = new IntersectionObserver(
      entries => entries.some(entry => entry.isIntersecting) && see(true),
      { rootMargin: NEARLY }
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, seen]);
  return seen;
}

/** The time now, moved on each second while `ticking`. */
export function useNow(ticking: boolean): Date {
  const [now, setNow] = React.useState(() => new Date());
  React.useEffect(() => {
    setNow(new Date());
    if (!ticking) {
      return;
    }
    const timer = setInterval(() => setNow(new Date()), 1000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}

/** As `useNow`, but it stands still where the server is away, at the time of which the last state is known. */
export function useKnownTime(connection: ConnectionStore, ticking: boolean): Date {
  useChanges(connection.changed);
  const { lastSeen } = connection;
  const now = useNow(ticking && lastSeen === null);
  return lastSeen ?? now;
}

/** True once `active` has lasted for so many milliseconds, until it ends. */
export function useLasting(active: boolean, milliseconds: number): boolean {
  const [lasting, setLasting] = React.useState(false);
  React.useEffect(() => {
    if (!active) {
      return;
    }
    const timer = setTimeout(() => setLasting(true), milliseconds);
    return () => {
      clearTimeout(timer);
      setLasting(false);
    };
  }, [active, milliseconds]);
  return active && lasting;
}

/** False at first, true after `milliseconds` of being mounted. */
export function useAfter(milliseconds: number): boolean {
  const [passed, setPassed] = React.useState(false);
  React.useEffect(() => {
    const timer = setTimeout(() => setPassed(true), milliseconds);
    return () => clearTimeout(timer);
  }, [milliseconds]);
  return passed;
}
