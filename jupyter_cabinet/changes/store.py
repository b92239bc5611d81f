"""The SQL of changes. Each function works inside a transaction of `storage.Database`."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select, update

from ..storage import rows
from .record import ChangeRecord
from .tables import changes


def put(connection: Connection, record: ChangeRecord) -> None:
    """Put it on record, whether or not it was."""
    columns = {"state": record.state, "pending": record.pending is not None, "body": rows.encoded(record)}
    saved = connection.execute(update(changes).where(changes.c.id == record.id).values(**columns))
    if saved.rowcount == 0:
        connection.execute(insert(changes).values(id=record.id, **columns))


def load(connection: Connection, run_id: str) -> ChangeRecord | None:
    """None where the run was not compared."""
    return rows.first_value(
        connection, ChangeRecord, select(changes.c.id, changes.c.body).where(changes.c.id == run_id)
    )


def pending(connection: Connection) -> list[ChangeRecord]:
    """Those in whose middle a server has died."""
    return rows.values(connection, ChangeRecord, select(changes.c.id, changes.c.body).where(changes.c.pending))


def remove(connection: Connection, run_id: str) -> None:
    """The run's record is deleted."""
    connection.execute(delete(changes).where(changes.c.id == run_id))
