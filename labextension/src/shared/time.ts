/**
 * Times and durations as people read and hear them, in the browser’s time zone. Pure.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

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

/** "5 min", "1 h", "1 min 30 s": a limit, which does not count up. */
export function limit(seconds: number, trans: TranslationBundle): string {
  if (seconds % 3600 === 0) {
    return trans.__('%1 h', seconds / 3600);
  }
  return seconds % 60 === 0 && seconds < 3600
    ? trans.__('%1 min', seconds / 60)
    : duration(seconds, trans);
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

/** "14:02", in 24 hours. */
export function clock(time: Date): string {
  return time.toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hour12: false
  });
}

/** Of seconds since 1970, also where no calendar has such a time: a file may say anything. */
export function isoTime(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

/** "Fri, 27 Nov, 16:00". */
export function dayAndTime(time: Date, trans: TranslationBundle): string {
  const day = time.toLocaleDateString(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short'
  });
  return trans.__('%1, %2', day, clock(time));
}

/** "in 25 minutes", "in 5 hours", "in 6 days"; "now" for what is past. */
export function fromNow(time: Date, now: Date, trans: TranslationBundle): string {
  const minutes = Math.round((time.getTime() - now.getTime()) / 60_000);
  if (minutes < 1) {
    return trans.__('now');
  }
  if (minutes < 60) {
    return trans._n('in %1 minute', 'in %1 minutes', minutes);
  }
  const hours = Math.round(minutes / 60);
  return hours < 48
    ? trans._n('in %1 hour', 'in %1 hours', hours)
    : trans._n('in %1 day', 'in %1 days', Math.round(hours / 24));
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
