"""Schedules by brute force: every minute of UTC is checked on the zone's clock, with an independent parser of fields.

Nothing here comes from the product or from cronsim. `chosen` decides about a minute on the wall clock.
"""

from __future__ import annotations

import calendar
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

A_MINUTE = timedelta(minutes=1)
LOWEST_AND_HIGHEST = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name}
WEEKDAYS = {"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}


def field(text: str, low: int, high: int) -> set[int]:
    found: set[int] = set()
    for part in text.lower().split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        if span == "*":
            start, end = low, high
        else:
            start = number(first)
            end = number(last) if last else (high if step else start)
        found |= set(range(start, end + 1, int(step or 1)))
    return found


def number(text: str) -> int:
    return {**MONTHS, **WEEKDAYS}.get(text) if not text.isdigit() else int(text)  # type: ignore[return-value]


def matcher(expression: str) -> tuple[Callable[[datetime], bool], bool]:
    """Whether a time on the wall is one of the expression's; and whether it names hours."""
    texts = expression.split()
    of_hour, hours, days, months, weekdays = (
        field(text, *bounds) for text, bounds in zip(texts, LOWEST_AND_HIGHEST, strict=True)
    )
    weekdays |= {0} if 7 in weekdays else set()
    both = texts[2].startswith("*") or texts[4].startswith("*")

    def chosen(wall: datetime) -> bool:
        if wall.minute not in of_hour or wall.hour not in hours or wall.month not in months:
            return False
        fits = wall.day in days, wall.isoweekday() % 7 in weekdays
        return all(fits) if both else any(fits)

    return chosen, hours != set(range(24))


def due_minutes(expression: str, zone: ZoneInfo, begin: datetime, end: datetime) -> Iterator[datetime]:
    """Each time it is due from `begin`, which is a whole minute, before `end`."""
    chosen, named = matcher(expression)
    for minute in minutes(zone, begin, end):
        if named:
            due = (minute.first_time and chosen(minute.wall)) or any(chosen(each) for each in minute.left_out)
        else:
            due = chosen(minute.wall)
        if due:
            yield minute.instant


class Minute(NamedTuple):
    """`first_time`: the clock shows it for the first time. `left_out`: what it never showed, just before."""

    instant: datetime
    wall: datetime
    first_time: bool
    left_out: tuple[datetime, ...]


@lru_cache(maxsize=16)
def minutes(zone: ZoneInfo, begin: datetime, end: datetime) -> list[Minute]:
    found = []
    instant, before = begin, wall_at(begin - A_MINUTE, zone)
    latest = max(wall_at(begin - timedelta(minutes=number), zone) for number in range(1, 181))
    while instant < end:
        wall = wall_at(instant, zone)
        left_out = tuple(each for each in minutes_between(before, wall) if each > latest)
        found.append(Minute(instant, wall, wall > latest, left_out))
        latest, before, instant = max(latest, wall), wall, instant + A_MINUTE
    return found


def minutes_between(before: datetime, wall: datetime) -> list[datetime]:
    """What the clock left out between one minute and the next."""
    return [before + number * A_MINUTE for number in range(1, (wall - before) // A_MINUTE)]


def wall_at(instant: datetime, zone: ZoneInfo) -> datetime:
    return instant.astimezone(UTC).astimezone(zone).replace(tzinfo=None, fold=0)
