"""A schedule in words: "every weekday at 08:00". Pure; called wherever schedules are shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .hours import DAYS
from .rules import Every, Schedule, expression_of

NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
MOST_TIMES = 4  # times of day in one sentence

_STEP = re.compile(r"\*/([0-9]+)", re.ASCII)
_SPAN = re.compile(r"([0-9]+)-([0-9]+)", re.ASCII)


def in_words(schedule: Schedule) -> str:
    """Return the schedule in words, without its zone; the cron expression if no short sentence means the same."""
    if isinstance(schedule, Every):
        return _interval(schedule.seconds)
    expression = expression_of(schedule)
    minute, hour, day, month, weekday = expression.upper().split()
    when = _times(minute, hour)
    which = _days(day, month, weekday)
    if when is None or which is None:
        return expression
    if when.startswith("at "):
        return f"{which} {when}"
    return when if which == "every day" else f"{when}, {which}"


def _interval(seconds: int) -> str:
    for size, unit in UNITS:
        if seconds % size == 0:
            return _every(seconds // size, unit)
    return f"every {seconds} seconds"


def _every(count: int, unit: str) -> str:
    return f"every {unit}" if count == 1 else f"every {count} {unit}s"


def _times(minute: str, hour: str) -> str | None:
    """Return "at 08:00" or "every 15 minutes", for example; None if neither form fits."""
    if hour == "*":
        return _within_hour(minute)
    step = _divisor(hour, 24)
    if step and minute.isdecimal():
        past = "" if int(minute) == 0 else f" at {int(minute)} past"
        return _every(step, "hour") + past
    between = _between(minute, hour)
    if between:
        return between
    hours, minutes = _numbers(hour), _numbers(minute)
    if not hours or not minutes or len(hours) * len(minutes) > MOST_TIMES:
        return None
    return f"at {_listed([f'{each:02}:{part:02}' for each in hours for part in minutes])}"


def _between(minute: str, hour: str) -> str | None:
    """Return "every 30 minutes from 08:00 to 18:30" for `*/30 8-18`; None for other forms."""
    step, span = _divisor(minute, 60), _SPAN.fullmatch(hour)
    if not step or not span:
        return None
    return f"{_every(step, 'minute')} from {int(span[1]):02}:00 to {int(span[2]):02}:{60 - step:02}"


def _within_hour(minute: str) -> str | None:
    if minute == "*":
        return "every minute"
    step = _divisor(minute, 60)
    if step:
        return _every(step, "minute")
    if not minute.isdecimal():
        return None
    return "every hour" if int(minute) == 0 else f"every hour at {int(minute)} past"


def _divisor(field: str, whole: int) -> int | None:
    """Return the step of a field such as `*/15`; None for other fields, or if the step does not divide `whole`."""
    found = _STEP.fullmatch(field)
    step = int(found[1]) if found else whole
    return step if step < whole and whole % step == 0 else None


def _days(day: str, month: str, weekday: str) -> str | None:
    """Return "every weekday" or "on the 1st of every month", for example; None if there is no short form."""
    if month != "*" or (day != "*" and weekday != "*"):
        return None
    if day != "*":
        numbers = _numbers(day)
        return f"on the {_listed([_ordinal(each) for each in numbers])} of every month" if numbers else None
    if weekday == "*":
        return "every day"
    chosen = _weekdays(weekday)
    return _days_named(chosen) if chosen else None


def _days_named(chosen: Sequence[int]) -> str:
    if len(chosen) == len(NAMES):
        return "every day"
    if chosen == [0, 1, 2, 3, 4]:
        return "every weekday"
    return f"every {_listed([NAMES[day] for day in chosen])}"


def _weekdays(field: str) -> list[int]:
    """Return the days, counted from Monday as 0; empty if the field is not a list of days and ranges."""
    for index, name in enumerate(DAYS):
        field = field.replace(name.upper(), str((index + 1) % 7))
    return sorted({(number - 1) % 7 for number in _numbers(field)})


def _numbers(field: str) -> list[int]:
    """Return the sorted numbers of a list of numbers and ranges; empty for any other field."""
    found: set[int] = set()
    for part in field.split(","):
        first, _, last = part.partition("-")
        if not first.isdecimal() or not (last or first).isdecimal():
            return []
        found.update(range(int(first), int(last or first) + 1))
    return sorted(found)


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if 11 <= number <= 13 else ending}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
