/**
 * Words for states, times, costs and counts; one place, so that a thing is called the same everywhere.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { PermissionMode, Run, RunState } from '../../api/types';

export type StateIcon =
  'clock' | 'ring' | 'question' | 'success' | 'error' | 'square' | 'warning' | 'skip';

export function stateWords(
  state: RunState,
  trans: TranslationBundle
): { label: string; icon: StateIcon } {
  switch (state) {
    case 'queued':
      return { label: trans.__('Queued'), icon: 'clock' };
    case 'starting':
      return { label: trans.__('Starting'), icon: 'ring' };
    case 'running':
      return { label: trans.__('Running'), icon: 'ring' };
    case 'waiting':
      return { label: trans.__('Waiting for you'), icon: 'question' };
    case 'succeeded':
      return { label: trans.__('Succeeded'), icon: 'success' };
    case 'failed':
      return { label: trans.__('Failed'), icon: 'error' };
    case 'timed_out':
      return { label: trans.__('Timed out'), icon: 'error' };
    case 'cancelled':
      return { label: trans.__('Cancelled'), icon: 'square' };
    case 'interrupted':
      return { label: trans.__('Interrupted'), icon: 'warning' };
    case 'skipped':
      return { label: trans.__('Skipped'), icon: 'skip' };
  }
}

/** Whether a run ended because a person or a rule did not allow what it needed. */
export function isDenied(run: Run): boolean {
  return run.state === 'failed' && run.failure?.kind === 'permission_denied';
}

/** The same of a run, where more is known than its state. */
export function runWords(run: Run, trans: TranslationBundle): { label: string; icon: StateIcon } {
  return isDenied(run) ? { label: trans.__('Denied'), icon: 'skip' } : stateWords(run.state, trans);
}

export function permissionWords(mode: PermissionMode, trans: TranslationBundle): string {
  switch (mode) {
    case 'ask':
      return trans.__('Ask first');
    case 'edit':
      return trans.__('Edit files');
    case 'bypass':
      return trans.__('No questions');
  }
}

/** "12 s", "2 min 04 s", "1 h 4 min". */
export function duration(seconds: number, trans: TranslationBundle): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) {
    return trans.__('%1 s', whole);
  }
  if (whole < 3600) {
    const seconds = String(whole % 60).padStart(2, '0'); // what follows keeps its place
    return trans.__('%1 min %2 s', Math.floor(whole / 60), seconds);
  }
  return trans.__('%1 h %2 min', Math.floor(whole / 3600), Math.floor((whole % 3600) / 60));
}

/** "2:04", "1:02:04": a place in a recording. */
export function playTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const minutes = Math.floor(whole / 60) % 60;
  const hours = Math.floor(whole / 3600);
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** For the ear: "2 minutes 31 seconds". */
export function spokenDuration(seconds: number, trans: TranslationBundle): string {
  const whole = Math.max(0, Math.floor(seconds));
  const rest = trans._n('%1 second', '%1 seconds', whole % 60);
  const minutes = Math.floor(whole / 60);
  return minutes ? trans.__('%1 %2', trans._n('%1 minute', '%1 minutes', minutes), rest) : rest;
}

/** "$0.14"; null when it is not known: it is left out then, never shown as zero. */
export function cost(usd: number | null): string | null {
  if (usd === null) {
    return null;
  }
  return usd > 0 && usd < 0.005 ? '< $0.01' : `$${usd.toFixed(2)}`;
}

/** Seconds a run has taken up to `now`, or took. */
export function elapsed(run: Run, now: Date): number | null {
  if (run.duration_seconds !== null || run.finished_at !== null) {
    return run.duration_seconds; // null: its server died, nobody knows
  }
  return run.started_at ? Math.max(0, (now.getTime() - Date.parse(run.started_at)) / 1000) : null;
}

export function queuePosition(position: number, trans: TranslationBundle): string {
  const words = [
    trans.__('next in line'),
    trans.__('second in line'),
    trans.__('third in line'),
    trans.__('fourth in line'),
    trans.__('fifth in line')
  ];
  return words[position - 1] ?? trans.__('number %1 in line', position);
}

/** What stands after the state's word: elapsed time, cost, or where in line. */
export function secondText(run: Run, now: Date, trans: TranslationBundle): string {
  if (run.state === 'queued') {
    return run.position === null ? '' : queuePosition(run.position, trans);
  }
  const seconds = elapsed(run, now);
  const time = seconds === null ? null : duration(seconds, trans);
  return [time, cost(run.cost_usd)].filter(part => part !== null).join(', ');
}

/** "14:02" today, "Yesterday", "Tue" in this week, else the date. */
export function when(iso: string, now: Date, trans: TranslationBundle): string {
  const time = new Date(iso);
  const days = Math.round((startOfDay(now) - startOfDay(time)) / 86_400_000);
  if (days <= 0) {
    return clock(time);
  }
  if (days === 1) {
    return trans.__('Yesterday');
  }
  return days < 7
    ? time.toLocaleDateString(undefined, { weekday: 'short' })
    : time.toLocaleDateString(undefined, {
        day: 'numeric',
        month: 'short',
        year: 'numeric'
      });
}

export function clock(time: Date): string {
  return time.toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hour12: false
  });
}

/** With date and zone, for tooltips. */
export function fullTime(iso: string): string {
  return new Date(iso).toLocaleString(undefined, {
    dateStyle: 'full',
    timeStyle: 'long'
  });
}

function startOfDay(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
}
