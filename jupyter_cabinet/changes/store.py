"""The SQL of changes. Each function works inside a transaction of `storage.Database`."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection, delete, insert, select, update

from ..storage import rows
from .record import ChangeRecord
from .tables import changes

REMOVED = "removed"  # in the column `state`: its contents are removed


def put(connection: Connection, record: ChangeRecord) -> None:
    """Insert or replace a record."""
    if not replace(connection, record):
        connection.execute(insert(changes).values(id=record.id, **_columns(record)))


def replace(connection: Connection, record: ChangeRecord) -> bool:
    """Replace an existing record; return whether it existed."""
    saved = connection.execute(update(changes).where(changes.c.id == record.id).values(**_columns(record)))
    return saved.rowcount > 0


def _columns(record: ChangeRecord) -> dict[str, object]:
    state = record.state if record.removed_at is None else REMOVED
    return {"state": state, "pending": record.pending is not None, "body": rows.encoded(record)}


def load(connection: Connection, run_id: str) -> ChangeRecord | None:
    """Return the record of a run; None if the run was not compared, or if its row is not valid."""
    return rows.first_value(
        connection, ChangeRecord, select(changes.c.id, changes.c.body).where(changes.c.id == run_id)
    )


def of_runs(connection: Connection, run_ids: Collection[str]) -> list[ChangeRecord]:
    """Return the records of some runs, in no order.

    Runs without one are left out. At most as many runs as a page has.
    """
    return rows.values(connection, ChangeRecord, select(changes.c.id, changes.c.body).where(changes.c.id.in_(run_ids)))


def pending(connection: Connection) -> list[ChangeRecord]:
    """Return those whose decision a dying server left unfinished."""
    return rows.values(connection, ChangeRecord, select(changes.c.id, changes.c.body).where(changes.c.pending))


def working(connection: Connection) -> list[str]:
    """Return the ids of the runs whose changes are not compared yet.

    They still work, or their server ended before it compared them.
    """
    return list(connection.scalars(select(changes.c.id).where(changes.c.state == "working").order_by(changes.c.id)))


def with_contents(connection: Connection) -> list[ChangeRecord]:
    """Return those whose contents are kept, newest first."""
    found = select(changes.c.id, changes.c.body).where(changes.c.state != REMOVED)
    return sorted(rows.values(connection, ChangeRecord, found), key=lambda record: record.begun_at, reverse=True)


def remove(connection: Connection, run_id: str) -> None:
    """Delete the record of a run's changes; does nothing if there is none."""
    connection.execute(delete(changes).where(changes.c.id == run_id))
