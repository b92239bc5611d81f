"""Goal periods in an agent's time zone: days, weeks from Monday, and months. Pure.

A period is identified by its first and last day, both included, as in `goals.json`. Its length is measured between
midnights of the time zone, so a day on which the clocks change has 23 or 25 hours.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

from ..files.persona import GoalPeriod

_DAY = timedelta(days=1)


class Period(msgspec.Struct, frozen=True):
    """A day, a week or a month: its first and its last day."""

    first: date
    last: date


def period_of(day: date, kind: GoalPeriod) -> Period:
    """Return the period that contains a day."""
    if kind == "daily":
        return Period(day, day)
    if kind == "weekly":
        monday = day - timedelta(days=day.weekday())
        return Period(monday, monday + timedelta(days=6))
    first = day.replace(day=1)
    return Period(first, (first + timedelta(days=31)).replace(day=1) - _DAY)


def current_period(now: datetime, kind: GoalPeriod, zone: ZoneInfo) -> Period:
    """Return the period that contains a moment, in the given time zone."""
    return period_of(now.astimezone(zone).date(), kind)


def periods_between(first: date, until: date, kind: GoalPeriod) -> Iterator[Period]:
    """Yield the periods from the one that contains `first` to the last one that ends before `until`."""
    period = period_of(first, kind)
    while period.last < until:
        yield period
        period = period_of(period.last + _DAY, kind)


def elapsed_share(period: Period, now: datetime, zone: ZoneInfo) -> float:
    """Return the share of a period that has passed: 0 before it starts, 1 after it ends."""
    start, end = _midnight(period.first, zone), _midnight(period.last + _DAY, zone)
    return min(1.0, max(0.0, (now - start) / (end - start)))


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    """Return midnight in UTC. Python ignores changes of the clocks when it subtracts two times of one zone."""
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC)
