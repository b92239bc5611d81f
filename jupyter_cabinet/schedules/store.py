"""The SQL statements of schedules and ticks. Each function works inside a transaction of `storage.Database`."""

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
FAR_AHEAD = timedelta(days=1)  # a last tick further in the future comes from a wrong clock


class StoredSchedule(NamedTuple):
    """The stored state of a schedule: its definition as JSON, and when it was last due."""

    schedule: str
    last_due: datetime


class NewSchedule(NamedTuple):
    """A schedule that begins at `since`. `schedule`: its definition as JSON."""

    key: str
    schedule: str
    since: datetime


def begin(connection: Connection, new: Collection[NewSchedule]) -> dict[str, StoredSchedule]:
    """Store schedules, and return the states of all of them by key.

    One that is stored with the same definition keeps its state; with another definition it begins at `since`.
    """
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
    """Return the states of these schedules, without those that are not stored."""
    found: dict[str, StoredSchedule] = {}
    for some in _chunks(keys):
        for row in connection.execute(select(schedules).where(schedules.c.key.in_(some))):
            found[row.key] = StoredSchedule(row.schedule, _time(row.last_due))
    return found


def forget(connection: Connection, key: str) -> None:
    """Delete a schedule, so that a later one with its key starts over. Its ticks are kept until they are pruned."""
    connection.execute(delete(schedules).where(schedules.c.key == key))


def claim(connection: Connection, tick: Tick, schedule: str, now: datetime) -> bool:
    """Store a tick. Return False if it or a later one is already stored, or if the schedule has changed.

    In that case, the transaction must be rolled back. The last tick never goes back in time, so if two servers claim
    the same tick, one of them is refused.
    """
    due, ahead = _seconds(tick.due), _seconds(now + FAR_AHEAD)
    is_next = (schedules.c.last_due < due) | (schedules.c.last_due > ahead)
    mine = (schedules.c.key == tick.key) & (schedules.c.schedule == schedule)
    if connection.execute(update(schedules).where(mine & is_next).values(last_due=due)).rowcount != 1:
        return False
    values = {"run_id": tick.run_id, "skipped": tick.skipped, "missed": tick.missed}
    try:
        connection.execute(insert(ticks).values(key=tick.key, due=due, **values))
    except IntegrityError:  # it fired before the clock was set back by more than a day
        return False
    return True


def ticks_of(connection: Connection, key: str, limit: int) -> list[Tick]:
    """Return the latest ticks of a schedule, newest first."""
    query = select(ticks).where(ticks.c.key == key).order_by(ticks.c.due.desc()).limit(limit)
    return [_tick(row) for row in connection.execute(query)]


def prune(connection: Connection, before: datetime) -> None:
    """Delete the ticks that were due before this time."""
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
