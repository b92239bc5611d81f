"""Active hours: when on which days something may happen at all. Pure; called by `rules.py`."""

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
    """From `start` until `end`, such as "09:00" and "17:00"; until the next day where `end` is not later.

    `days`: on which it starts, of `DAYS`; none means every day. `end` may be "24:00".
    """

    start: str
    end: str
    days: tuple[str, ...] = ()
    zone: str  # IANA name


class Window(NamedTuple):
    """One stretch of active hours, in UTC; `closes` is the first moment outside."""

    opens: datetime
    closes: datetime


def window_at(hours: ActiveHours, instant: datetime) -> Window | None:
    """The stretch that holds that time."""
    following = _windows(hours, _day(hours, instant) - A_DAY, 1)
    window = next(window for window in following if instant < window.closes)
    return window if window.opens <= instant else None


def next_opening(hours: ActiveHours, after: datetime) -> datetime:
    """When the next stretch begins, later than that time."""
    following = _windows(hours, _day(hours, after) - A_DAY, 1)
    return next(window.opens for window in following if window.opens > after)


def last_closing(hours: ActiveHours, until: datetime) -> datetime:
    """When the last stretch ended, at that time or before."""
    preceding = _windows(hours, _day(hours, until) + A_DAY, -1)
    return next(window.closes for window in preceding if window.closes <= until)


def _windows(hours: ActiveHours, day: date, step: int) -> Iterator[Window]:
    """Of that day and those after it, or before it. Stretches that the clock leaves out are left out too."""
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
    """Minutes since midnight of a time such as "09:30"."""
    hour, minute = text.split(":")
    return int(hour) * 60 + int(minute)
