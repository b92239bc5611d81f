"""Checks the database of `.cabinet/` before it is used: it must fit the files beside it, and contain only tables.

A folder may come from somewhere else, and an agent works as the server's user. Called by `database.py` and
`migrate.py`, on the database's thread.
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from sqlalchemy import Connection

from ..core.errors import Unavailable
from . import dialects
from .tables import metadata

log = logging.getLogger(__name__)

SQLITE_FILES = ("", "-journal", "-wal", "-shm")
LOST_RECORDS = (
    "{path} is empty, but there are files of earlier runs beside it. It was not changed. Restore a copy of it, "
    "or remove it to start with a new one."
)


def must_hold_records(path: Path) -> bool:
    """Return whether the database must contain records: it exists, and files of runs lie beside it.

    Raises `Unavailable` if it is empty although there are such files, or if there is something other than a file in its
    place or beside it: SQLite would write to the target of a link. If it is missing beside such files, this is only
    logged.
    """
    for file in (path.with_name(path.name + suffix) for suffix in SQLITE_FILES):
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise Unavailable(
                f"{file} is not a regular file. It was not changed. Set it aside, then start the server again."
            )
    runs = path.parent / "runs"
    if not runs.is_dir() or not any(runs.iterdir()):
        return False
    if not path.exists():
        log.warning("%s does not exist, but files of earlier runs do. A new one is created.", path)
        return False
    if path.stat().st_size == 0:
        raise Unavailable(LOST_RECORDS.format(path=path))
    return True


def mark_of(connection: Connection) -> int:
    """Return the mark that a SQLite database carries; 0 if it has none."""
    return int(connection.exec_driver_sql("PRAGMA application_id").scalar() or 0)


def put_mark(connection: Connection, mark: int) -> None:
    """Give a SQLite database this mark, a signed number of 32 bits."""
    connection.exec_driver_sql(f"PRAGMA application_id = {mark:d}")


def mark_from(identity: str) -> int:
    """Return the mark for the database of a `.cabinet/` with this identity: never 0, and secret."""
    return int.from_bytes(hashlib.sha256(identity.encode()).digest()[:4], signed=True) or 1


def refuse_programs(connection: Connection) -> None:
    """Raise `Unavailable` if the database would do more than keep rows: Cabinet creates no triggers and no views."""
    if dialects.is_remote(connection):
        return
    rows = connection.exec_driver_sql("SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')").all()
    found = [row for row in rows if row.type == "trigger" or row.name in metadata.tables]
    if found:
        raise Unavailable(
            f"The database has a {found[0].type} named {found[0].name}, which Cabinet did not create. The "
            "database was not changed. Set it aside to start with a new one."
        )
