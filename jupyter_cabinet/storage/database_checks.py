"""What is looked at before the database of `.cabinet/` is used: whether it fits what lies beside it, and is plain.

A folder may have come from somewhere else, and an agent works as the server's user. Called by `database.py` and
`migrate.py`, on the database's thread.
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from sqlalchemy import Connection

from ..core.errors import Unavailable
from .tables import metadata

log = logging.getLogger(__name__)

SQLITE_FILES = ("", "-journal", "-wal", "-shm")
LOST_RECORDS = (
    "{path} holds nothing, but there are files of earlier runs beside it. It was left as it is. "
    "Put back a copy of it, or remove it to begin anew."
)


def must_hold_records(path: Path) -> bool:
    """Whether there must be records in the database, because files of runs lie beside it.

    Raises `Unavailable` where it is empty, or something else than a file is in its place or beside it: SQLite would
    write to what a link leads to.
    """
    for file in (path.with_name(path.name + suffix) for suffix in SQLITE_FILES):
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise Unavailable(f"{file} is not a regular file. It was left as it is.")
    runs = path.parent / "runs"
    if not runs.is_dir() or not any(runs.iterdir()):
        return False
    if not path.exists():
        log.warning("%s is not there, but files of earlier runs are. A new one is begun.", path)
        return False
    if path.stat().st_size == 0:
        raise Unavailable(LOST_RECORDS.format(path=path))
    return True


def mark_of(connection: Connection) -> int:
    """The mark that a SQLite database carries; 0 where it has none."""
    return int(connection.exec_driver_sql("PRAGMA application_id").scalar() or 0)


def put_mark(connection: Connection, mark: int) -> None:
    """Let a SQLite database carry this mark, a signed number of 32 bits."""
    connection.exec_driver_sql(f"PRAGMA application_id = {mark:d}")


def mark_from(identity: str) -> int:
    """What marks the database of a `.cabinet/` with this identity: never 0, and nobody else can know it."""
    return int.from_bytes(hashlib.sha256(identity.encode()).digest()[:4], signed=True) or 1


def refuse_programs(connection: Connection) -> None:
    """Raise `Unavailable` where the database would do more than keep rows: Cabinet makes no triggers and no views."""
    if connection.dialect.name != "sqlite":
        return
    rows = connection.exec_driver_sql("SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')").all()
    found = [row for row in rows if row.type == "trigger" or row.name in metadata.tables]
    if found:
        raise Unavailable(
            f"The database has a {found[0].type} named {found[0].name}, which Cabinet did not make. "
            "It was left as it is. Set it aside to begin anew."
        )
