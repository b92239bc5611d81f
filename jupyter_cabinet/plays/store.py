"""The SQL of plays. Each function works inside a transaction of `storage.Database`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select
from sqlalchemy.exc import IntegrityError

from ..core.errors import AlreadyFired
from .tables import firings

KEPT = timedelta(days=35)
STANDING = "behind"  # the cause of a happening that holds until it is withdrawn, whatever its age


def put(
    connection: Connection, play: str, trigger: str, cause: str, *, at: datetime, run_id: str | None, reason: str = ""
) -> None:
    """Put on record that a trigger has fired for this. Raises `AlreadyFired` where it has before: then the transaction
    must be given up. What is older than 35 days is forgotten."""
    connection.execute(delete(firings).where(firings.c.at < (at - KEPT).timestamp(), firings.c.cause != STANDING))
    if has(connection, play, trigger, cause):
        raise AlreadyFired
    values = {"play": play, "trigger": trigger, "cause": cause, "at": at.timestamp(), "run_id": run_id}
    try:
        connection.execute(insert(firings).values(**values, reason=reason))
    except IntegrityError:  # another server was quicker
        raise AlreadyFired from None


def has(connection: Connection, play: str, trigger: str, cause: str) -> bool:
    """Whether it has fired for this already."""
    query = select(firings.c.at).where(_is(play, trigger) & (firings.c.cause == cause))
    return connection.execute(query).first() is not None


def last_start(connection: Connection, play: str, trigger: str) -> datetime | None:
    """When the trigger has started the play last."""
    query = select(func.max(firings.c.at)).where(_is(play, trigger) & firings.c.run_id.is_not(None))
    found = connection.execute(query).scalar()
    return None if found is None else datetime.fromtimestamp(found, UTC)


def take_back(connection: Connection, play: str, trigger: str, cause: str) -> None:
    """It may fire for this again."""
    connection.execute(delete(firings).where(_is(play, trigger) & (firings.c.cause == cause)))


def _is(play: str, trigger: str) -> ColumnElement[bool]:
    return (firings.c.play == play) & (firings.c.trigger == trigger)
