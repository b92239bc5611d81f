"""Returns pages of the sessions that contain some words, confirmed in their transcripts. Blocks; for worker threads.

`text_search.py` names the entries that may match. The index is locked only while it is read, never while a transcript
is: a slow disk or a large transcript must not delay other requests. Called by `transcripts/service.py`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from time import monotonic
from typing import Protocol, TypeVar

import msgspec

from ...runtimes.session_entries import SessionStore
from ..model import CliSession, CliSessionPage, SessionFilter
from ..reading.cli_databases import DatabaseCopies
from ..reading.entry_reader import IndexedEntry, SessionRow, read_entries, rows_at
from ..session_list import list_sessions, load_session
from . import text_search

T = TypeVar("T")
MOST_SESSIONS = 60  # of a page
TRIED = 20  # entries of a session that are read to confirm it
SEARCH_SECONDS = 5.0  # after which a page ends with what was found until then, and names the next one


class ReadsIndex(Protocol):
    """Reads the index in this thread, while no other thread does."""

    def __call__(self, work: Callable[[sqlite3.Connection], T], /) -> T: ...


class SessionSearch:
    """The search in transcripts."""

    def __init__(self, read_index: ReadsIndex, store_of: Callable[[SessionRow], SessionStore | None]) -> None:
        self._read_index = read_index
        self._store_of = store_of

    def page(
        self,
        wanted: SessionFilter,
        words: tuple[str, ...],
        *,
        only: Collection[str] | None,
        without: Collection[str],
    ) -> CliSessionPage:
        """Return a page of the sessions that contain all `words`, which are as `search.words_of` returns them.

        It may have fewer sessions than `wanted.limit`, or none, although it names the next page. Only that page shows
        whether there are more.
        """
        until = monotonic() + SEARCH_SECONDS
        candidates, numbers = self._read_index(lambda connection: _candidates(connection, words))
        limit, cursor, items = max(1, min(wanted.limit, MOST_SESSIONS)), wanted.cursor, list[CliSession]()
        with DatabaseCopies() as copies:
            while True:
                some = msgspec.structs.replace(wanted, limit=limit, cursor=cursor)
                rows, total = self._read_index(_listing(some, only, without, numbers))
                for number, session in rows:
                    cursor += 1
                    confirmed = self._confirmed(session, candidates.get(number, []), words, copies)
                    items += [confirmed] if confirmed is not None else []
                    if len(items) == limit or monotonic() > until:
                        return _page(items, cursor, total)
                if len(rows) < limit:
                    return _page(items, cursor, total)

    def _confirmed(
        self, session: CliSession, numbers: Sequence[int], words: tuple[str, ...], copies: DatabaseCopies
    ) -> CliSession | None:
        row, rows = self._read_index(lambda connection: _place_of(connection, session.id, numbers[:TRIED]))
        if row is None:
            return None
        try:
            entries = read_entries(self._store_of(row), row, rows, copies).values()
        except OSError:  # it has vanished, and the index does not know it yet
            entries = {}.values()
        for entry in entries:
            text = text_search.searched_text(entry)
            if text_search.matches(text, words):
                return msgspec.structs.replace(session, snippet=text_search.snippet(text, words), entry=entry.id)
        return session if text_search.matches(session.title, words) else None


def _candidates(connection: sqlite3.Connection, words: tuple[str, ...]) -> tuple[Mapping[int, list[int]], set[int]]:
    """Return the entries that may match, by session, and the sessions that may match, also by their titles."""
    found = text_search.candidates(connection, words)
    titles = connection.execute("SELECT number, title FROM sessions")
    return found, {*found, *(number for number, title in titles if text_search.matches(title, words))}


def _listing(
    wanted: SessionFilter, only: Collection[str] | None, without: Collection[str], numbers: Collection[int]
) -> Callable[[sqlite3.Connection], tuple[list[tuple[int, CliSession]], int]]:
    return lambda connection: list_sessions(connection, wanted, only=only, without=without, numbers=numbers)


def _place_of(
    connection: sqlite3.Connection, id: str, numbers: Sequence[int]
) -> tuple[SessionRow | None, list[IndexedEntry]]:
    found = load_session(connection, id)
    return (None, []) if found is None else (found[0], rows_at(connection, numbers))


def _page(items: Sequence[CliSession], cursor: int, total: int) -> CliSessionPage:
    return CliSessionPage(items=tuple(items), next=str(cursor) if cursor < total else None, total=total)
