"""What people add to sessions: tags, notes, aliases, stars, bookmarks. A SQLite file beside the index, kept for good.

It is outside every root, because the sessions are the user's and not a folder's. A change names single fields, so two
changes at the same time both survive. Blocks.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from ..core.errors import Invalid
from ..storage.filesystem.private_folders import private_folder
from .model import EntryMark, EntryPatch, SessionMarks, SessionPatch

TABLES = """
CREATE TABLE IF NOT EXISTS fields (
    session TEXT NOT NULL, entry TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (session, entry, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tags (session TEXT NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (session, tag)) WITHOUT ROWID;
"""
LONGEST = {"alias": 200, "note": 20_000}
LONGEST_TAG, MOST_TAGS = 50, 50
MOST_MARKED_ENTRIES = 10_000  # of one session


class Marks:
    """Opens the file for each call: it is small and rarely used."""

    def __init__(self, folder: Path) -> None:
        self._path = private_folder(folder) / "marks.db"

    def all(self) -> dict[str, SessionMarks]:
        """Return the marks of every session that has some."""
        with self._open() as store:
            fields = store.execute("SELECT session, name, value FROM fields WHERE entry = ''").fetchall()
            tags = store.execute("SELECT session, tag FROM tags ORDER BY tag").fetchall()
        return _by_session(fields, tags)

    def of_session(self, session: str) -> SessionMarks:
        """Return the marks of one session; empty ones if it has none.

        Whether there is such a session is not checked.
        """
        with self._open() as store:
            return _marks_in(store, session)

    def of_entries(self, session: str) -> dict[str, EntryMark]:
        """Return the marks of its entries, by the id of the entry. Entries without marks are missing."""
        with self._open() as store:
            rows = store.execute(
                "SELECT entry, name, value FROM fields WHERE session = ? AND entry <> ''", (session,)
            ).fetchall()
        fields: dict[str, dict[str, str]] = {}
        for entry, name, value in rows:
            fields.setdefault(entry, {})[name] = value
        return {entry: _entry_mark(entry, values) for entry, values in fields.items()}

    def change(self, session: str, patch: SessionPatch) -> SessionMarks:
        """Change the fields that are given, and return all marks of the session. An empty text removes a field.

        Raises `Invalid` for an alias, a note or a tag that is too long, and for more than 50 tags; nothing is changed
        then.
        """
        given = _given(patch, ("alias", "note", "starred", "archived"))
        added, removed = tuple(map(_tag, patch.add_tags)), tuple(map(str.strip, patch.remove_tags))
        with self._open() as store:
            store.execute("BEGIN IMMEDIATE")
            _put(store, session, "", given)
            store.executemany("INSERT OR IGNORE INTO tags VALUES (?, ?)", [(session, tag) for tag in added])
            store.executemany("DELETE FROM tags WHERE session = ? AND tag = ?", [(session, tag) for tag in removed])
            if store.execute("SELECT count(*) FROM tags WHERE session = ?", (session,)).fetchone()[0] > MOST_TAGS:
                raise Invalid(f"A session can have {MOST_TAGS} tags.", field="add_tags")
            found = _marks_in(store, session)
            store.execute("COMMIT")
        return found

    def change_entry(self, session: str, patch: EntryPatch) -> EntryMark:
        """Change the fields that are given, and return the marks of the entry. An empty note removes it.

        Raises `Invalid` for a note that is too long, and for more than 10,000 marked entries; nothing is changed then.
        """
        given = _given(patch, ("bookmarked", "note"))
        with self._open() as store:
            store.execute("BEGIN IMMEDIATE")
            _put(store, session, patch.entry, given)
            marked = store.execute("SELECT count(DISTINCT entry) FROM fields WHERE session = ?", (session,)).fetchone()[
                0
            ]
            if marked > MOST_MARKED_ENTRIES:
                raise Invalid("This session has too many bookmarks and notes.", field="entry")
            rows = store.execute(
                "SELECT name, value FROM fields WHERE session = ? AND entry = ?", (session, patch.entry)
            ).fetchall()
            store.execute("COMMIT")
        return _entry_mark(patch.entry, dict(rows))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=10, isolation_level=None)) as store:
            for setting in ("synchronous=FULL", "mmap_size=0", "trusted_schema=OFF"):
                store.execute(f"PRAGMA {setting}")
            store.executescript(TABLES)
            self._path.chmod(0o600)
            yield store


def _given(patch: SessionPatch | EntryPatch, names: tuple[str, ...]) -> dict[str, str]:
    values = {name: getattr(patch, name) for name in names}
    given = {name: value for name, value in values.items() if value is not msgspec.UNSET}
    for name, value in given.items():
        if isinstance(value, str) and len(value) > LONGEST[name]:
            raise Invalid(f"{name} can have {LONGEST[name]:,} characters.", field=name)
    return {name: ("1" if value else "") if isinstance(value, bool) else value for name, value in given.items()}


def _put(store: sqlite3.Connection, session: str, entry: str, given: Mapping[str, str]) -> None:
    for name, value in given.items():
        if value:
            store.execute("INSERT OR REPLACE INTO fields VALUES (?, ?, ?, ?)", (session, entry, name, value))
        else:
            store.execute("DELETE FROM fields WHERE session = ? AND entry = ? AND name = ?", (session, entry, name))


def _tag(tag: str) -> str:
    clean = " ".join(tag.split())
    if not clean or len(clean) > LONGEST_TAG:
        raise Invalid(f"A tag has 1 to {LONGEST_TAG} characters.", field="add_tags")
    return clean


def _marks_in(store: sqlite3.Connection, session: str) -> SessionMarks:
    fields = store.execute(
        "SELECT session, name, value FROM fields WHERE session = ? AND entry = ''", (session,)
    ).fetchall()
    tags = store.execute("SELECT session, tag FROM tags WHERE session = ? ORDER BY tag", (session,)).fetchall()
    return _by_session(fields, tags).get(session) or SessionMarks()


def _by_session(fields: Collection[tuple[str, str, str]], tags: Collection[tuple[str, str]]) -> dict[str, SessionMarks]:
    values: dict[str, dict[str, str]] = {}
    for session, name, value in fields:
        values.setdefault(session, {})[name] = value
    tagged: dict[str, list[str]] = {}
    for session, tag in tags:
        tagged.setdefault(session, []).append(tag)
    return {
        session: SessionMarks(
            alias=values.get(session, {}).get("alias", ""),
            note=values.get(session, {}).get("note", ""),
            starred="starred" in values.get(session, {}),
            archived="archived" in values.get(session, {}),
            tags=tuple(tagged.get(session, ())),
        )
        for session in {*values, *tagged}
    }


def _entry_mark(entry: str, values: Mapping[str, str]) -> EntryMark:
    return EntryMark(entry=entry, bookmarked="bookmarked" in values, note=values.get("note", ""))
