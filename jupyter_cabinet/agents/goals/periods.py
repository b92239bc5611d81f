"""Days, weeks from Monday and months, as an agent's zone has them. Pure.

A period is identified by its first and last day, both included, as in `goals.json`. How long it lasts is counted
between the midnights of the zone, so that the day on which clocks change has 23 or 25 hours.
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
    """The period in which a day lies."""
    if kind == "daily":
        return Period(day, day)
    if kind == "weekly":
        monday = day - timedelta(days=day.weekday())
        return Period(monday, monday + timedelta(days=6))
    first = day.replace(day=1)
    return Period(first, (first + timedelta(days=31)).replace(day=1) - _DAY)


def current_period(now: datetime, kind: GoalPeriod, zone: ZoneInfo) -> Period:
    """The period in which the zone is at that moment."""
    return period_of(now.astimezone(zone).date(), kind)


def periods_between(first: date, until: date, kind: GoalPeriod) -> Iterator[Period]:
    """The periods from the one in which `first` lies, to the last that ends before `until`."""
    period = period_of(first, kind)
    while period.last < until:
        yield period
        period = period_of(period.last + _DAY, kind)


def elapsed_share(period: Period, now: datetime, zone: ZoneInfo) -> float:
    """How much of a period has gone: 0 before it, 1 after it."""
    start, end = _midnight(period.first, zone), _midnight(period.last + _DAY, zone)
    return min(1.0, max(0.0, (now - start) / (end - start)))


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    """In UTC: two times of one zone would be subtracted without regard to its changes of clocks."""
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC)
