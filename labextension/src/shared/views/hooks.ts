/**
 * React hooks that draw again when a store changes or time has passed.
 */
import type { ISignal } from '@lumino/signaling';
import * as React from 'react';

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
