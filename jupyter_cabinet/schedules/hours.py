"""Active hours: the times of day and days on which a schedule may be due. Pure; called by `rules.py`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from .cron import first_instant

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
A_DAY = timedelta(days=1)


class ActiveHours(msgspec.Struct, frozen=True, kw_only=True):
    """The hours from `start` until `end`, such as "09:00" and "17:00".

    If `end` is not later than `start`, they end on the next day. `days`: the days on which they start, from `DAYS`;
    empty: every day. `end` may be "24:00".
    """

    start: str
    end: str
    days: tuple[str, ...] = ()
    zone: str  # IANA name


class Window(NamedTuple):
    """One period of active hours, in UTC. `closes` is the first moment after it."""

    opens: datetime
    closes: datetime


def window_at(hours: ActiveHours, instant: datetime) -> Window | None:
    """Return the period that contains that time; None if it is outside the active hours. Its end is not part of it."""
    following = _windows(hours, _day(hours, instant) - A_DAY, 1)
    window = next(window for window in following if instant < window.closes)
    return window if window.opens <= instant else None


def next_opening(hours: ActiveHours, after: datetime) -> datetime:
    """Return when the next period begins, strictly after that time, in UTC."""
    following = _windows(hours, _day(hours, after) - A_DAY, 1)
    return next(window.opens for window in following if window.opens > after)


def last_closing(hours: ActiveHours, until: datetime) -> datetime:
    """Return when the latest period ended, not later than `until`, in UTC."""
    preceding = _windows(hours, _day(hours, until) + A_DAY, -1)
    return next(window.closes for window in preceding if window.closes <= until)


def _windows(hours: ActiveHours, day: date, step: int) -> Iterator[Window]:
    """Yield the periods of that day and the following ones (`step` 1) or the previous ones (`step` -1).

    A period that the clock skips entirely is left out.
    """
    zone = ZoneInfo(hours.zone)
    while True:
        if not hours.days or DAYS[day.weekday()] in hours.days:
            window = _window(hours, day, zone)
            if window.opens < window.closes:
                yield window
        day += step * A_DAY


def _window(hours: ActiveHours, day: date, zone: ZoneInfo) -> Window:
    start, end = minutes_of(hours.start), minutes_of(hours.end)
    midnight = datetime.combine(day, time())
    if end <= start:
        end += 24 * 60
    opens, closes = (first_instant(midnight + timedelta(minutes=each), zone) for each in (start, end))
    return Window(opens, closes)


def _day(hours: ActiveHours, instant: datetime) -> date:
    return instant.astimezone(ZoneInfo(hours.zone)).date()


def minutes_of(text: str) -> int:
    """Return the minutes since midnight of a time such as "09:30" or "24:00". It must be valid."""
    hour, minute = text.split(":")
    return int(hour) * 60 + int(minute)
