"""Lets nothing in this process wait until the disk has written.

Waiting protects against a loss of power only. The tests kill processes, and what a process has written before that is
in the files also if the disk has not written it yet. It took a tenth of the suite's processor time.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

_SYNCHRONOUS = re.compile(r"(PRAGMA synchronous\s*=\s*)(?:NORMAL|FULL|EXTRA)\b", re.IGNORECASE)
_ORIGINAL = sqlite3.connect


class _Connection(sqlite3.Connection):
    """Never waits, whatever its settings would be."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        with suppress(sqlite3.Error):  # a database that is locked or damaged is for the caller to notice
            super().execute("PRAGMA synchronous=OFF")

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        return super().execute(_unsynced(sql), *args)

    def executescript(self, script: str) -> sqlite3.Cursor:
        return super().executescript(_unsynced(script))


def _unsynced(sql: str) -> str:
    return _SYNCHRONOUS.sub(r"\1OFF", sql) if "synchronous" in sql else sql


def _connect(*args: Any, **keywords: Any) -> sqlite3.Connection:
    return _ORIGINAL(*args, **{"factory": _Connection, **keywords})


def begin() -> None:
    """From now on."""
    sqlite3.connect = sqlite3.dbapi2.connect = _connect  # type: ignore[assignment]
    os.fsync = os.fdatasync = lambda descriptor: None


@contextmanager
def synced() -> Iterator[None]:
    """Databases that are opened meanwhile wait as usual, for a test of how they are opened."""
    sqlite3.connect = sqlite3.dbapi2.connect = _ORIGINAL
    try:
        yield
    finally:
        sqlite3.connect = sqlite3.dbapi2.connect = _connect  # type: ignore[assignment]
