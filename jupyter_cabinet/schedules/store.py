"""The SQL of schedules and ticks. Each function works inside a transaction of `storage.Database`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from .model import Tick
from .tables import schedules, ticks

AT_ONCE = 500  # keys in one query: databases limit the parameters of a statement
FAR_AHEAD = timedelta(days=1)  # a last tick that lies further in the future comes from a clock that was wrong


class StoredSchedule(NamedTuple):
    """Where a schedule stands: its definition as JSON, and when it was last due."""

    schedule: str
    last_due: datetime


class NewSchedule(NamedTuple):
    """A schedule that begins at `since`."""

    key: str
    schedule: str
    since: datetime


def begin(connection: Connection, new: Collection[NewSchedule]) -> dict[str, StoredSchedule]:
    """Store schedules. One that is stored with the same definition continues where it is."""
    known = load(connection, [each.key for each in new])
    for each in new:
        found = known.get(each.key)
        if found is not None and found.schedule == each.schedule:
            continue
        values = {"schedule": each.schedule, "last_due": _seconds(each.since)}
        if found is None:
            connection.execute(insert(schedules).values(key=each.key, **values))
        else:
            connection.execute(update(schedules).where(schedules.c.key == each.key).values(**values))
        known[each.key] = StoredSchedule(each.schedule, _time(_seconds(each.since)))
    return known


def load(connection: Connection, keys: Collection[str]) -> dict[str, StoredSchedule]:
    """Where these schedules stand, but for those that are not on record."""
    found: dict[str, StoredSchedule] = {}
    for some in _chunks(keys):
        for row in connection.execute(select(schedules).where(schedules.c.key.in_(some))):
            found[row.key] = StoredSchedule(row.schedule, _time(row.last_due))
    return found


def forget(connection: Connection, key: str) -> None:
    """Delete a schedule: a later one of that name starts over. Its ticks are kept until they are pruned."""
    connection.execute(delete(schedules).where(schedules.c.key == key))


def claim(connection: Connection, tick: Tick, schedule: str, now: datetime) -> bool:
    """Put a tick on record. False: it is already, or a later one, or the schedule has become another; then the
    transaction must be given up.

    The last tick only moves on, so of two servers with one database one is refused.
    """
    due, ahead = _seconds(tick.due), _seconds(now + FAR_AHEAD)
    is_next = (schedules.c.last_due < due) | (schedules.c.last_due > ahead)
    mine = (schedules.c.key == tick.key) & (schedules.c.schedule == schedule)
    if connection.execute(update(schedules).where(mine & is_next).values(last_due=due)).rowcount != 1:
        return False
    values = {"run_id": tick.run_id, "skipped": tick.skipped, "missed": tick.missed}
    try:
        connection.execute(insert(ticks).values(key=tick.key, due=due, **values))
    except IntegrityError:  # it fired before a clock was set back by more than a day
        return False
    return True


def ticks_of(connection: Connection, key: str, limit: int) -> list[Tick]:
    """The latest ticks of a schedule, newest first."""
    query = select(ticks).where(ticks.c.key == key).order_by(ticks.c.due.desc()).limit(limit)
    return [_tick(row) for row in connection.execute(query)]


def prune(connection: Connection, before: datetime) -> None:
    """Delete the ticks that were due before that."""
    connection.execute(delete(ticks).where(ticks.c.due < _seconds(before)))


def _tick(row: Any) -> Tick:
    return Tick(key=row.key, due=_time(row.due), run_id=row.run_id, skipped=row.skipped, missed=row.missed)


def _chunks(keys: Collection[str]) -> Iterator[list[str]]:
    left = iter(keys)
    while some := list(islice(left, AT_ONCE)):
        yield some


def _seconds(time: datetime) -> int:
    return int(time.timestamp())


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
