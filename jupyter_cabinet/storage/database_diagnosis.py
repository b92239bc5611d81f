"""Checks whether the database of a `.cabinet/` can be used, read-only. Called by `jupyter cabinet doctor`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ..core.errors import Unavailable
from .database_checks import must_hold_records

CORRUPT, NO_DATABASE = 11, 26  # primary result codes of SQLite
BUSY_SECONDS = 5
REMEDY = (
    "It was not changed. Restore a copy of it, or set it aside to start with a new one; `.agents/` and "
    "`.playbooks/` stay."
)


def damage(path: Path) -> str:
    """Return the problem of the SQLite database at `path`, as a sentence with what to do; empty: none is known.

    Every page of it is read. A database that does not exist is a problem only if files of runs lie beside it. A locked
    one is not a problem. It raises nothing. Blocks.
    """
    runs = path.parent / "runs"
    if not path.exists() and runs.is_dir() and any(runs.iterdir()):
        return (
            f"{path} does not exist, but files of earlier runs do. The next server creates a new one; their list "
            "is lost."
        )
    try:
        must_hold_records(path)
        return _checked(path) if path.exists() else ""
    except Unavailable as error:
        return error.message
    except OSError as error:
        return f"{path} cannot be read: {error.strerror}."


def _checked(path: Path) -> str:
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)
        ) as database:
            found = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (CORRUPT, NO_DATABASE):
            return f"{path} is damaged: {error}. {REMEDY}"
        return ""  # locked, or in the middle of a write: the server that uses it knows more
    return "" if found == "ok" else f"{path} is damaged: {found}. {REMEDY}"
