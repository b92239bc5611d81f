"""Parses schedules from the texts that people write in front matter. Pure; called by the readers of personas and plays.

Every function raises `Invalid` with a sentence that says what was found and what was expected.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from ..core.errors import Invalid
from . import cron
from .hours import DAYS, ActiveHours
from .rules import Cron, Daily, Every, Schedule, Weekly

SECONDS_OF = {"m": 60, "h": 3_600, "d": 86_400}
A_DAY = "daily"  # accepted as an interval of one day
GROUPS_OF_DAYS = {"weekdays": DAYS[:5], "weekends": DAYS[5:], "daily": DAYS}
# The field that determines the type of a schedule without one; the first that is present counts.
TYPE_OF = {"cron": "cron", "every": "interval", "days": "weekly", "at": "daily"}
LONGEST_DAYS = 366
LONGEST_SHOWN = 60  # characters of a wrong value that a message repeats

_EVERY = re.compile(r"([0-9]{1,6})\s*([mhd])", re.ASCII)
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])", re.ASCII)
_CLOCK = r"[0-9]{1,2}(?::[0-9]{2})?"
_HOURS = re.compile(rf"(?<![\w:])(?P<start>{_CLOCK})\s*[-–]\s*(?P<end>{_CLOCK})(?![\w:])", re.ASCII)
_ZONE = re.compile(r"[A-Za-z0-9_+-]{1,40}(/[A-Za-z0-9_+-]{1,40}){0,2}", re.ASCII)


def parse_heartbeat(text: str, *, zone: str = "", default_zone: str) -> Schedule:
    """Parse a cron expression, an alias such as `@daily`, or an interval: `15m`, `4h`, `2d`, `daily`, or `every 15m`.

    `zone`: an IANA name; if it is empty, `default_zone` is used. An interval has no zone, and then `zone` is not
    checked. Raises `Invalid` with what was found and what was expected.
    """
    words = text.split()
    if words and words[0].lower() == "every":
        return parse_every(" ".join(words[1:]))
    if _EVERY.fullmatch(text.strip().lower()) or text.strip().lower() == A_DAY:
        return parse_every(text)
    if not words:
        raise Invalid("The schedule is empty. Use a cron expression such as 0 8 * * *, @daily or every 4h.")
    return Cron(expression=cron.checked(text), zone=parse_zone(zone or default_zone))


def parse_every(text: str) -> Every:
    """Parse an interval: `15m`, `4h`, `2d`, or `daily`. Raises `Invalid` unless it is between 1 minute and 366 days."""
    length = text.strip().lower()
    found = _EVERY.fullmatch("1d" if length == A_DAY else length)
    if found is None:
        raise Invalid(f"“{_shown(text)}” is not an interval. Use minutes, hours or days, such as every 15m, 4h or 2d.")
    seconds = int(found[1]) * SECONDS_OF[found[2]]
    if not 60 <= seconds <= LONGEST_DAYS * SECONDS_OF["d"]:
        raise Invalid(f"An interval is between 1 minute and {LONGEST_DAYS} days, not “{_shown(text)}”.")
    return Every(seconds=seconds)


def parse_schedule(fields: dict[str, Any], *, default_zone: str) -> Schedule:
    """Parse the `schedule` of a play: `type` (interval, cron, daily or weekly) and the fields that this type needs.

    An interval needs `every`, cron needs `cron`, daily `at`, weekly `days` and `at`; `timezone` is optional. Without
    `type`, these fields determine it. Other installations restrict a daily schedule with `days`, so that is read as
    weekly. Other fields are ignored. Raises `Invalid` with what was found and what was expected.
    """
    kind = fields.get("type", _type_of(fields))
    if kind == "daily" and fields.get("days") is not None:
        kind = "weekly"
    if kind == "interval":
        return parse_every(_text(fields, "every", "such as 30m").removeprefix("every "))
    zone = parse_zone(_text(fields, "timezone", "such as Europe/Berlin", "") or default_zone)
    if kind == "cron":
        return Cron(expression=cron.checked(_text(fields, "cron", "such as 0 8 * * 1-5")), zone=zone)
    if kind == "daily":
        return Daily(at=parse_time(_text(fields, "at", "such as 08:30")), zone=zone)
    if kind == "weekly":
        days = parse_days(fields.get("days"))
        return Weekly(days=days, at=parse_time(_text(fields, "at", "such as 08:30")), zone=zone)
    raise Invalid(f"The type of a schedule is interval, cron, daily or weekly, not “{_shown(kind)}”.")


def parse_active_hours(text: str, *, zone: str = "", default_zone: str) -> ActiveHours:
    """Parse `09:00-17:00` or `9-17`, also across midnight. Days restrict it to these: `mon-fri 09:00-17:00`.

    `zone`: an IANA name; if it is empty, `default_zone` is used. Raises `Invalid` for any other text, and if the hours
    begin and end at the same time; all day is `00:00-24:00`.
    """
    found = _HOURS.search(text)
    if found is None:
        raise _no_hours(text)
    rest = (text[: found.start()] + text[found.end() :]).strip(" ,")
    start, end = (each if ":" in each else f"{each}:00" for each in (found["start"], found["end"]))
    start = parse_time(start)
    end = "24:00" if end == "24:00" else parse_time(end)
    if start == end:
        raise Invalid(f"The active hours “{_shown(text)}” begin and end at the same time. Use 00:00-24:00 for all day.")
    days = parse_days(rest) if rest else ()
    return ActiveHours(start=start, end=end, days=days, zone=parse_zone(zone or default_zone))


def parse_time(text: str) -> str:
    """Parse a time of day such as `8:30`, and return it as `08:30`. Raises `Invalid`, also for `24:00`."""
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise Invalid(f"“{_shown(text)}” is not a time of day. Use hours and minutes, such as 08:30.")
    return f"{int(found[1]):02}:{found[2]}"


def parse_days(value: object) -> tuple[str, ...]:
    """Parse days of the week from a list or a string such as `mon-fri` or `weekends`; return them in week order.

    The result has at least one day, each once, as in `DAYS`. Raises `Invalid` for anything else.
    """
    parts = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(parts, Sequence) or not parts or not all(isinstance(part, str) for part in parts):
        raise _no_days(value)
    chosen = {day for part in parts for day in _days_of(part)}
    return tuple(day for day in DAYS if day in chosen)


def parse_zone(name: str) -> str:
    """Return the name of a time zone. Raises `Invalid` if it is not an IANA name that this system knows."""
    try:
        if _ZONE.fullmatch(name):
            ZoneInfo(name)
            return name
    except (KeyError, ValueError, OSError):  # unknown, not a zone, a folder of zones
        pass
    raise Invalid(f"“{_shown(name)}” is not a known time zone. Use a name such as Europe/Berlin or UTC.")


def _type_of(fields: dict[str, Any]) -> str | None:
    """Return the type of a schedule that does not name one; None if no field determines it."""
    return next((kind for name, kind in TYPE_OF.items() if fields.get(name) is not None), None)


def _days_of(part: str) -> tuple[str, ...]:
    if part.lower() in GROUPS_OF_DAYS:
        return GROUPS_OF_DAYS[part.lower()]
    begin, dash, end = part.lower().replace("–", "-").partition("-")
    first, last = (_index_of(part, each) for each in (begin, end if dash else begin))
    return tuple(DAYS[index % 7] for index in range(first, last + 1 if last >= first else last + 8))


def _index_of(part: str, day: str) -> int:
    for index, name in enumerate(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")):
        if len(day) >= 3 and name.startswith(day):
            return index
    raise _no_days(part)


def _text(fields: dict[str, Any], name: str, example: str, absent: str | None = None) -> str:
    value = fields.get(name, absent)
    if not isinstance(value, str):
        raise Invalid(f"This schedule needs “{name}”, a text {example}.")
    return value


def _no_days(value: object) -> Invalid:
    return Invalid(f"“{_shown(value)}” names no days of the week. Use mon, tue, wed, thu, fri, sat, sun or mon-fri.")


def _no_hours(text: str) -> Invalid:
    return Invalid(f"“{_shown(text)}” are no active hours. Use 09:00-17:00 or mon-fri 09:00-17:00.")


def _shown(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
