"""Reads entries of a session from its transcript again, by the positions that the index knows. Blocks."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from ...runtimes.session_entries import Entry, SessionStore
from .cli_databases import DatabaseCopies
from .sources import items_at


class IndexedEntry(NamedTuple):
    """A row of the index. A tuple, because a timeline may have 50,000."""

    number: int
    place: int
    id: str
    kind: str
    position: int
    at: float | None
    parent: str | None
    side: str | None
    call_id: str | None
    flags: int


COLUMNS = ", ".join(IndexedEntry._fields)


class SessionRow(msgspec.Struct, frozen=True, kw_only=True):
    """What is needed to read a session's entries."""

    number: int
    runtime: str
    native_id: str
    source: str
    store: int
    is_gone: bool


def rows_of(connection: sqlite3.Connection, session: int) -> list[IndexedEntry]:
    """Return all entries of a session, in order."""
    found = connection.execute(f"SELECT {COLUMNS} FROM entries WHERE session = ? ORDER BY place", (session,))  # noqa: S608
    return list(map(IndexedEntry._make, found))


def rows_at(connection: sqlite3.Connection, numbers: Sequence[int]) -> list[IndexedEntry]:
    """Return the entries with these numbers, in no order. Numbers without an entry are left out."""
    marks = ", ".join("?" * len(numbers))
    found = connection.execute(f"SELECT {COLUMNS} FROM entries WHERE number IN ({marks})", numbers)  # noqa: S608
    return list(map(IndexedEntry._make, found))


def read_entries(
    store: SessionStore | None,
    session: SessionRow,
    rows: Sequence[IndexedEntry],
    copies: DatabaseCopies | None = None,
) -> dict[str, Entry]:
    """Return entries by id. Those that are no longer at their position are left out. Raises `OSError`.

    Empty if the session is gone, or without a store. `copies`: of databases, if several sessions are read; the caller
    removes them.
    """
    if copies is None:
        with DatabaseCopies() as own:
            return read_entries(store, session, rows, own)
    if store is None or session.is_gone or not rows:
        return {}
    wanted = {(row.position, row.id) for row in rows}
    positions = {row.position for row in rows}
    found: dict[str, Entry] = {}
    for position, item in items_at(store, Path(session.source), session.native_id, positions, copies):
        if isinstance(item, Entry) and (position, item.id) in wanted:
            found[item.id] = item
    return found
