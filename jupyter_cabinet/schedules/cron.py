"""When a cron expression is due in a time zone. Pure. `cronsim` parses the expression and steps through local times.

An expression has five fields. If day of month and day of week are both restricted, either one suffices. When the clock
is set forward or back, an expression that names hours is due exactly once for each of its times. A time that the clock
skips is due at the moment of the jump (02:30 when 02:00 becomes 03:00); a time that comes twice is due the first time.
An expression for every hour follows elapsed time: it is not due in the skipped hour, and due twice in the repeated one.

Called by `rules.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from ..core.errors import Invalid

ALIASES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
FIELDS = "minute, hour, day of month, month and day of week"
LONGEST_EXPRESSION = 200  # characters
A_DAY, A_SECOND = timedelta(days=1), timedelta(seconds=1)
ANY_TIME = datetime(2000, 1, 1)  # noqa: DTZ001 - cronsim uses local time here, without a zone

Combine = Callable[[Iterable[datetime]], datetime]


def checked(text: str) -> str:
    """Return the expression behind an alias such as `@daily`, or the text itself with single spaces.

    Raises `Invalid` for a text that is no expression with five fields, for one over 200 characters, and for an
    expression that is never due.
    """
    alias = ALIASES.get(text.strip().lower())
    if alias is not None:
        return alias
    expression = " ".join(text.split())
    if len(expression) > LONGEST_EXPRESSION:
        raise Invalid(f"A cron expression has at most {LONGEST_EXPRESSION} characters, not {len(expression)}.")
    if expression.startswith("@"):
        raise Invalid(f"“{expression}” is not known. Use one of {', '.join(ALIASES)}.")
    if len(expression.split()) != 5:
        found = len(expression.split())
        raise Invalid(f"A cron expression has five fields ({FIELDS}), such as 0 8 * * 1-5. This one has {found}.")
    _refuse_impossible(expression)
    return expression


def _refuse_impossible(expression: str) -> None:
    try:
        times = CronSim(expression, ANY_TIME)
    except CronSimError as error:
        field = str(error).removeprefix("Bad ").replace("-", " ")
        expected = "Use numbers, ranges (1-5), lists (1,3), steps (*/15) or *."
        raise Invalid(f"The {field} of “{expression}” was not understood. {expected}") from None
    if next(times, None) is None:
        raise Invalid(f"“{expression}” is never due: no date fits it.")


def next_due(expression: str, zone: ZoneInfo, after: datetime) -> datetime | None:
    """Return the first due time later than `after`, in UTC; None if there is none in the next fifty years.

    `expression`: as `checked` returns it.
    """
    start = _on_the_wall(after, zone) - _shift_near(after, zone)
    best: datetime | None = None
    for wall in CronSim(expression, start):
        best = _better(best, (due for due in _instants(expression, wall, zone) if due > after), min)
        if best is not None and _instant(wall, zone, fold=0) >= best:
            return best  # a later local time is never due earlier
    return best


def latest_due(expression: str, zone: ZoneInfo, until: datetime) -> datetime | None:
    """Return the last due time not later than `until`, in UTC; None if there is none in the fifty years before.

    `expression`: as `checked` returns it.
    """
    start = _on_the_wall(until, zone) + _shift_near(until, zone) + A_SECOND
    best: datetime | None = None
    for wall in CronSim(expression, start, reverse=True):
        best = _better(best, (due for due in _instants(expression, wall, zone) if due <= until), max)
        if best is not None and _instant(wall, zone, fold=1) <= best:
            return best
    return best


def first_instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return when clocks in the zone first show that time, in UTC; for a skipped time, the moment of the jump."""
    return _instant(wall, zone, fold=0)


def _better(best: datetime | None, found: Iterable[datetime], which: Combine) -> datetime | None:
    candidates = [*([] if best is None else [best]), *found]
    return which(candidates) if candidates else None


def _instants(expression: str, wall: datetime, zone: ZoneInfo) -> list[datetime]:
    """Return when the expression is due because clocks show `wall`, in UTC."""
    first, last = _instant(wall, zone, fold=0), _instant(wall, zone, fold=1)
    if not _is_for_every_hour(expression):
        return [first]
    if _on_the_wall(first, zone) != wall:
        return []
    return [first, last]


@lru_cache(maxsize=4096)
def _is_for_every_hour(expression: str) -> bool:
    return len(CronSim(expression, ANY_TIME).hours) == 24


def _on_the_wall(instant: datetime, zone: ZoneInfo) -> datetime:
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def _instant(wall: datetime, zone: ZoneInfo, *, fold: int) -> datetime:
    """Return a local time in UTC. It grows with `wall`, and is the same for all times that the clock skips."""
    instant = wall.replace(tzinfo=zone, fold=fold).astimezone(UTC)
    if _on_the_wall(instant, zone) == wall:
        return instant
    before = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)  # with the offset after the jump, and so too early
    after = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    return _jump(before, after, zone)


def _jump(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """Return the first second after `before` at which the zone has the offset that it has at `after`.

    The offset changes once between the two.
    """
    offset = after.astimezone(zone).utcoffset()
    while after - before > A_SECOND:
        middle = before + timedelta(seconds=(after - before) // A_SECOND // 2)
        if middle.astimezone(zone).utcoffset() == offset:
            after = middle
        else:
            before = middle
    return after


def _shift_near(instant: datetime, zone: ZoneInfo) -> timedelta:
    """Return by how much clocks are set forward or back within a day of that time."""
    before, after = ((instant + days).astimezone(zone).utcoffset() for days in (-A_DAY, A_DAY))
    assert before is not None and after is not None
    return abs(after - before)
