"""The SQL statements of plays. Each function works inside a transaction of `storage.Database`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from ..core.errors import AlreadyFired
from .tables import firings

KEPT = timedelta(days=35)
STANDING = "behind"  # the cause of a happening that lasts until it is withdrawn, however old it is


def put(
    connection: Connection, play: str, trigger: str, cause: str, *, at: datetime, run_id: str | None, reason: str = ""
) -> None:
    """Store that a trigger has fired for this cause, and delete entries that are older than 35 days.

    Entries of events that last are kept. Raises `AlreadyFired` if it has fired for this cause before. The transaction
    must then be rolled back.
    """
    connection.execute(delete(firings).where(firings.c.at < (at - KEPT).timestamp(), firings.c.cause != STANDING))
    if has(connection, play, trigger, cause):
        raise AlreadyFired
    values = {"play": play, "trigger": trigger, "cause": cause, "at": at.timestamp(), "run_id": run_id}
    try:
        connection.execute(insert(firings).values(**values, reason=reason))
    except IntegrityError:  # another server was faster
        raise AlreadyFired from None


def has(connection: Connection, play: str, trigger: str, cause: str) -> bool:
    """Return whether the trigger has already fired for this cause."""
    query = select(firings.c.at).where(_is(play, trigger) & (firings.c.cause == cause))
    return connection.execute(query).first() is not None


def last_start(connection: Connection, play: str, trigger: str) -> datetime | None:
    """Return when the trigger last started the play; None if it never did, or not in the last 35 days."""
    query = select(func.max(firings.c.at)).where(_is(play, trigger) & firings.c.run_id.is_not(None))
    found = connection.execute(query).scalar()
    return None if found is None else datetime.fromtimestamp(found, UTC)


def take_back(connection: Connection, play: str, trigger: str, cause: str) -> None:
    """Delete the record that the trigger has fired for this cause, if there is one, so that it may fire again."""
    connection.execute(delete(firings).where(_is(play, trigger) & (firings.c.cause == cause)))


def _is(play: str, trigger: str) -> ColumnElement[bool]:
    return (firings.c.play == play) & (firings.c.trigger == trigger)
