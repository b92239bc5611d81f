"""When a schedule is due: its next time, its latest past time, and the number of missed times. Pure.

Times are timezone-aware, and are returned in UTC, in whole seconds. A time outside the active hours is not due. Only an
interval is postponed to the beginning of the hours. `schedule_parser.py` parses schedules, `words.py` describes them;
`scheduler.py` and all previews call this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

import msgspec

from . import cron
from .hours import DAYS, ActiveHours, last_closing, minutes_of, next_opening, window_at

A_SECOND = timedelta(seconds=1)
MOST_COUNTED = 1_000  # missed ticks that are counted; more count as this many
MOST_LOOKED_AT = 500  # due times in a row outside the active hours, after which the schedule counts as never due


class Cron(msgspec.Struct, frozen=True, kw_only=True, tag="cron"):
    """A cron expression with five fields, in local time of a zone."""

    expression: str
    zone: str  # IANA name


class Every(msgspec.Struct, frozen=True, kw_only=True, tag="every"):
    """An interval in seconds, counted from the last tick. At least 60."""

    seconds: int


class Daily(msgspec.Struct, frozen=True, kw_only=True, tag="daily"):
    """Every day at a time such as "08:30", in local time of a zone."""

    at: str
    zone: str  # IANA name


class Weekly(msgspec.Struct, frozen=True, kw_only=True, tag="weekly"):
    """On these days ("mon" to "sun", at least one) at a time such as "08:30", in local time of a zone."""

    days: tuple[str, ...]
    at: str
    zone: str  # IANA name


Schedule = Cron | Every | Daily | Weekly


class _Run(msgspec.Struct, frozen=True):
    """A sequence of `count` ticks of an interval, `step` apart."""

    first: datetime
    step: timedelta
    count: int

    @property
    def last(self) -> datetime:
        return self.first + (self.count - 1) * self.step


def next_due(
    schedule: Schedule, after: datetime, *, anchor: datetime, hours: ActiveHours | None = None
) -> datetime | None:
    """Return the first time after `after` at which it is due, in UTC; None if it never is, also because of the hours.

    `anchor`: the last tick, or the start of the schedule, from which intervals are counted; not used for other
    schedules.
    """
    if isinstance(schedule, Every):
        return _next_of_interval(schedule, _second(after), _second(anchor), hours)
    expression, zone = _as_cron(schedule)
    for _ in range(MOST_LOOKED_AT):
        due = cron.next_due(expression, zone, after)
        if due is None or hours is None or window_at(hours, due):
            return due
        after = next_opening(hours, due) - A_SECOND
    return None


def latest_due(
    schedule: Schedule, since: datetime, now: datetime, *, hours: ActiveHours | None = None
) -> datetime | None:
    """Return the latest time after `since`, and not after `now`, at which it was due; None if there is none.

    Intervals are counted from `since`. One that ends outside `hours` is moved to when they begin, and the next ones are
    counted from there. Other times outside `hours` do not count.
    """
    if isinstance(schedule, Every):
        runs = list(_runs(schedule, _second(since), now, hours))
        return runs[-1].last if runs else None
    expression, zone = _as_cron(schedule)
    while True:
        due = cron.latest_due(expression, zone, now)
        if due is None or due <= since:
            return None
        if hours is None or window_at(hours, due):
            return due
        now = last_closing(hours, due) - A_SECOND


def count_due(schedule: Schedule, since: datetime, until: datetime, *, hours: ActiveHours | None = None) -> int:
    """Return how often it was due after `since` and before `until`, up to 1000. Intervals are counted from `since`."""
    if isinstance(schedule, Every):
        runs = _runs(schedule, _second(since), until - A_SECOND, hours)
        return min(MOST_COUNTED, sum(run.count for run in runs))
    before = takewhile(lambda due: due < until, _dues(schedule, since, hours))
    return sum(1 for _ in islice(before, MOST_COUNTED))


def upcoming(
    schedule: Schedule,
    now: datetime,
    count: int = 5,
    *,
    anchor: datetime | None = None,
    hours: ActiveHours | None = None,
) -> list[datetime]:
    """Return the next times after `now` at which it is due, at most `count`; fewer if there are no more.

    `anchor`: see `next_due`; None: now.
    """
    return list(islice(_dues(schedule, now, hours, anchor), count))


def _dues(
    schedule: Schedule, after: datetime, hours: ActiveHours | None, anchor: datetime | None = None
) -> Iterator[datetime]:
    due = next_due(schedule, after, anchor=anchor or after, hours=hours)
    while due is not None:
        yield due
        due = next_due(schedule, due, anchor=due, hours=hours)


# --- intervals -----------------------------------------------------------------------------


def _next_of_interval(every: Every, after: datetime, anchor: datetime, hours: ActiveHours | None) -> datetime:
    last = anchor
    for run in _runs(every, anchor, after, hours):
        last = run.last
    return _admitted(last + timedelta(seconds=every.seconds), hours)


def _runs(every: Every, anchor: datetime, until: datetime, hours: ActiveHours | None) -> Iterator[_Run]:
    """Yield the ticks after `anchor` up to `until`, as one run for each period of active hours."""
    step = timedelta(seconds=every.seconds)
    first = _admitted(anchor + step, hours)
    while first <= until:
        window = window_at(hours, first) if hours else None
        end = min(until, window.closes - A_SECOND) if window else until
        run = _Run(first, step, (end - first) // step + 1)
        yield run
        first = _admitted(run.last + step, hours)


def _admitted(due: datetime, hours: ActiveHours | None) -> datetime:
    return due if hours is None or window_at(hours, due) else next_opening(hours, due)


# --- clocks --------------------------------------------------------------------------------


def _as_cron(schedule: Cron | Daily | Weekly) -> tuple[str, ZoneInfo]:
    return expression_of(schedule), ZoneInfo(schedule.zone)


def expression_of(schedule: Cron | Daily | Weekly) -> str:
    """Return the equivalent cron expression, without its zone."""
    if isinstance(schedule, Cron):
        return schedule.expression
    hour, minute = divmod(minutes_of(schedule.at), 60)
    days = ",".join(str(DAYS.index(day) + 1) for day in schedule.days) if isinstance(schedule, Weekly) else "*"
    return f"{minute} {hour} * * {days}"


def _second(instant: datetime) -> datetime:
    return instant.astimezone(UTC).replace(microsecond=0)
