"""Whether the database of a `.cabinet/` can be used, without changing anything. Called by `jupyter cabinet doctor`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ..core.errors import Unavailable
from .database_checks import must_hold_records

CORRUPT, NO_DATABASE = 11, 26  # primary result codes of SQLite
BUSY_SECONDS = 5
REMEDY = (
    "It was left as it is. Put back a copy of it, or set it aside to begin anew; `.agents/` and `.playbooks/` stay."
)


def damage(path: Path) -> str:
    """What is wrong with the SQLite database at `path`, in a sentence with what to do; empty: nothing that is known.

    Every page of it is read. A database that is not there is missing only where files of runs lie beside it.
    """
    runs = path.parent / "runs"
    if not path.exists() and runs.is_dir() and any(runs.iterdir()):
        return (
            f"{path} is not there, but files of earlier runs are. The next server begins a new one; their list is lost."
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
        return ""  # locked, or in the middle of something: the server that has it knows more
    return "" if found == "ok" else f"{path} is damaged: {found}. {REMEDY}"
