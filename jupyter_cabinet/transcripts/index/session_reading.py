"""Reads one session into the index, from where the last reading ended. Blocks; called by `indexing.py`.

A file that only grew is read from its former end. A file that shrank or was replaced is read again from the beginning.
Of a long file, 16 MiB are read in one turn, so that it does not delay the others.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from hashlib import blake2b

import msgspec

from ...runtimes.edited_files import edited_files, may_change_anything
from ...runtimes.model import ToolCall, Usage
from ...runtimes.session_entries import (
    Continues,
    EntriesReplaced,
    Entry,
    Item,
    LinkedLine,
    SessionDatabase,
    SessionFacts,
    SessionFiles,
    SessionStore,
)
from .. import health
from ..model import session_key
from ..reading.cli_databases import DatabaseCopies
from ..reading.positioned_lines import Place
from ..reading.sources import Source, digest_before, items_of_database, items_of_file
from ..search.text_search import searched_text
from .abandoned_branches import AbandonedBranches
from .summaries import CHANGES, IS_ERROR, LISTED, MAY_CHANGE, TITLE_CHARACTERS, encoded, set_columns, summarise

BRIEF_CHARACTERS = 500
COLUMNS = (
    "number, session, place, id, kind, position, at, parent, side, call_id, tool, answer, model,"
    " input, output, cache_read, cache_write, cost_usd, digest, flags, brief"
)
MARKS = ", ".join("?" * len(COLUMNS.split(",")))
# Neither "OR REPLACE" nor "RETURNING": before a statement that may need to be undone, FTS5 writes all that it holds in
# memory, which takes most of the time of indexing.
INSERT = f"INSERT INTO entries ({COLUMNS}) VALUES ({MARKS})"  # noqa: S608 - constants
SAID = ("user", "assistant")


class SessionReading:
    """One turn of one session."""

    def __init__(
        self, connection: sqlite3.Connection, store: SessionStore, source: Source, copies: DatabaseCopies
    ) -> None:
        self._connection = connection
        self._store = store
        self._source = source
        self._copies = copies
        self._facts = msgspec.structs.replace(source.facts, cwd="")  # a line knows the folder better than the path
        self._session = 0  # its number
        self._place = 0
        self._numbers: dict[str, int] = {}  # places of the entries of this reading, by id
        self._place_in_file = Place(at_end=True)
        self._first_words = ""
        self._is_named = False
        self._number = _last_number(connection)
        self._branches: AbandonedBranches

    def read(self) -> tuple[str, bool]:
        """Read one turn. Return the session's id in the API, and whether all of it has been read. Raises `OSError`.

        It writes into the index, inside the caller's transaction.
        """
        known = self._known()
        start = self._start(known)
        self._session = self._insert() if known is None else known["number"]
        self._branches = AbandonedBranches(self._connection, self._session)
        if known is not None:
            if start.position == 0:  # nothing that was read earlier counts, perhaps a first line that was not complete
                self._forget_entries()
                known = None
            else:
                self._place = known["entries"]
        for position, item in self._items(start):
            self._take(position, item)
        self._update(known)
        is_finished = self._place_in_file.at_end
        if is_finished or known is None:  # it takes long for many entries, and would be repeated in each turn
            summarise(self._connection, self._session)
        return self._take_key(), is_finished

    def _take(self, position: int, item: Item) -> None:
        match item:
            case SessionFacts():
                self._facts = _merged(self._facts, self._own(item))
            case EntriesReplaced():
                self._forget_entries()
            case LinkedLine():
                self._branches.link(item)
            case Continues():
                self._branches.continue_from(item)
            case Entry():
                self._add(position, item)

    def _own(self, facts: SessionFacts) -> SessionFacts:
        """The first id that a line names counts, instead of the path's: a fork repeats the lines of its origin."""
        if self._is_named:
            return msgspec.structs.replace(facts, native_id="")
        self._is_named = bool(facts.native_id)
        return facts

    # --- what is known -------------------------------------------------------------------------

    def _known(self) -> sqlite3.Row | None:
        source = self._source
        cursor = self._connection.cursor()
        cursor.row_factory = sqlite3.Row
        where = "runtime = ? AND source = ?"
        values = [source.runtime, str(source.path)]
        if isinstance(self._store, SessionDatabase):  # one file has many sessions
            where, values = f"native_id = ? AND {where}", [source.facts.native_id, *values]
        entries = "(SELECT coalesce(max(place) + 1, 0) FROM entries WHERE session = sessions.number) AS entries"
        row: sqlite3.Row | None = cursor.execute(
            f"SELECT sessions.*, {entries} FROM sessions WHERE {where}",  # noqa: S608 - constants
            values,
        ).fetchone()
        return row

    def _start(self, known: sqlite3.Row | None) -> Place:
        """Return where the reading begins: at the former end, if the file has only grown."""
        store, path = self._store, self._source.path
        if known is None or not isinstance(store, SessionFiles) or not known["read_to"]:
            return Place()
        position = int(known["read_to"])
        if known["file"] != self._source.file or digest_before(store, path, position) != known["tail"]:
            return Place()
        return Place(position, inside=known["inside_line"])

    def _insert(self) -> int:
        source, native_id = self._source, self._source.facts.native_id
        cursor = self._connection.execute(
            "INSERT INTO sessions (id, runtime, native_id, source, store, store_is_database, revision)"
            " VALUES (?, ?, ?, ?, ?, ?, '')",
            (
                session_key(source.runtime, native_id, str(source.path)),
                source.runtime,
                native_id,
                str(source.path),
                source.store,
                isinstance(self._store, SessionDatabase),
            ),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def _take_key(self) -> str:
        """Give the session its id in the API, and return it.

        Several files may have one native id: a copy, or the empty file that Gemini CLI leaves after a resume. The first
        one with entries gets the id that depends on the native id alone, which does not change if the index is rebuilt.
        """
        execute = self._connection.execute
        own, native_id, is_listed = execute(
            f"SELECT id, native_id, {LISTED} FROM sessions WHERE number = ?",  # noqa: S608 - a constant
            (self._session,),
        ).fetchone()
        key = session_key(self._source.runtime, native_id)
        taken = execute("SELECT number, is_gone, source FROM sessions WHERE id = ?", (key,)).fetchone()
        if not is_listed or (taken and not taken[1]):
            return str(own)
        if taken and taken[0] != self._session:  # it was moved, as Codex does with what is archived
            execute("DELETE FROM entries WHERE session = ?", (taken[0],))
            execute("DELETE FROM links WHERE session = ?", (taken[0],))
            execute("DELETE FROM usage WHERE session = ?", (taken[0],))
            execute("DELETE FROM sessions WHERE number = ?", (taken[0],))
        execute("UPDATE sessions SET id = ? WHERE number = ?", (key, self._session))
        return key

    def _forget_entries(self) -> None:
        self._connection.execute("DELETE FROM entries WHERE session = ?", (self._session,))
        self._branches.forget()
        self._place = 0
        self._numbers.clear()

    def give_up(self) -> None:
        """Count the session as read as it is now, so that it is tried again only after a change."""
        if self._session:
            values = {"revision": self._source.revision, "read_to": 0, "health_version": health.VERSION}
            set_columns(self._connection, self._session, values)

    # --- entries -------------------------------------------------------------------------------

    def _items(self, start: Place) -> Iterator[tuple[int, Item]]:
        store, source = self._store, self._source
        if isinstance(store, SessionDatabase):
            yield from items_of_database(store, source.path, source.facts.native_id, self._copies)
            return
        if start.position:
            query = "SELECT id, place FROM entries WHERE session = ? ORDER BY place DESC LIMIT 1000"
            self._numbers = dict(self._connection.execute(query, (self._session,)))
        self._place_in_file = yield from items_of_file(store, source.path, start)

    def _add(self, position: int, entry: Entry) -> None:
        """Insert an entry; one with a known id takes the place of the earlier one."""
        execute = self._connection.execute
        if entry.kind == "user" and not entry.side and not self._first_words:
            self._first_words = " ".join(entry.text[: 10 * TITLE_CHARACTERS].split())[:TITLE_CHARACTERS]
        place = self._numbers.get(entry.id)
        if place is None:
            place, self._place = self._place, self._place + 1
            self._numbers[entry.id] = place
        else:
            execute("DELETE FROM entries WHERE session = ? AND place = ?", (self._session, place))
        usage = entry.usage or Usage()
        self._number += 1
        row = (
            self._number,
            self._session,
            place,
            entry.id,
            entry.kind,
            position,
            entry.at,
            self._branches.parent_of(entry),
            entry.side or None,
            entry.call_id or None,
            entry.tool or None,
            entry.answer or (entry.id if entry.usage else None),
            entry.model or None,
            *((usage.input_tokens, usage.output_tokens) if entry.usage else (None, None)),
            *((usage.cache_read_tokens, usage.cache_write_tokens) if entry.usage else (None, None)),
            entry.cost_usd,
            _digest(entry),
            self._flags(entry),
            entry.text[:BRIEF_CHARACTERS] if entry.kind in ("error", "retry") else None,
        )
        execute(INSERT, row)
        text = searched_text(entry)
        if text:
            execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (self._number, text))
            if entry.kind in SAID:
                execute("INSERT INTO trigrams (rowid, text) VALUES (?, ?)", (self._number, text))

    def _flags(self, entry: Entry) -> int:
        flags = IS_ERROR if entry.is_error else 0
        if entry.kind == "tool_call":
            call = ToolCall(call_id=entry.call_id, tool=entry.tool, input=entry.input)
            runtime = self._source.runtime
            flags |= CHANGES | MAY_CHANGE if edited_files(runtime, call) else 0
            flags |= MAY_CHANGE if may_change_anything(runtime, call) else 0
        return flags

    # --- the session ---------------------------------------------------------------------------

    def _update(self, known: sqlite3.Row | None) -> None:
        facts, source, store = self._facts, self._source, self._store
        reached = self._place_in_file
        tail = digest_before(store, source.path, reached.position) if isinstance(store, SessionFiles) else ""
        named = {
            "cwd": (known["cwd"] if known else "") or facts.cwd or source.facts.cwd,
            "native_title": facts.title or (known["native_title"] if known else ""),
            "parent_id": facts.parent_id or (known["parent_id"] if known else ""),
            "is_sub_agent": facts.is_sub_agent or bool(known and known["is_sub_agent"]),
            "context_window": facts.context_window or (known["context_window"] if known else 0),
            "stored_cost_usd": facts.cost_usd if facts.cost_usd is not None else known and known["stored_cost_usd"],
            "stored_usage": encoded(facts.usage) if facts.usage else (known["stored_usage"] if known else ""),
            "native_id": known["native_id"] if known else facts.native_id,
            "first_words": (known["first_words"] if known else "") or self._first_words,
        }
        values = {
            **named,
            "revision": source.revision if reached.at_end else "",
            "file": source.file,
            "read_to": reached.position,
            "inside_line": reached.inside,
            "tail": tail,
            "is_gone": False,
            "store": source.store,
        }
        set_columns(self._connection, self._session, values)


def _last_number(connection: sqlite3.Connection) -> int:
    """Return the largest number that an entry ever had: the full-text index still names those that were removed."""
    row = connection.execute(
        "SELECT max(coalesce((SELECT max(number) FROM entries), 0), coalesce((SELECT max(id) FROM words_docsize), 0))"
    ).fetchone()
    return int(row[0])


def _merged(facts: SessionFacts, new: SessionFacts) -> SessionFacts:
    """Later facts count, except the first folder: an agent may move."""
    given = {name: value for name, value in msgspec.structs.asdict(new).items() if value not in ("", None, 0, False)}
    if facts.cwd:
        given.pop("cwd", None)
    return msgspec.structs.replace(facts, **given)


def _digest(entry: Entry) -> int:
    """Return a number that differs between calls with different arguments, and between different results."""
    if entry.kind == "tool_call":
        content = entry.tool.encode(errors="replace") + msgspec.json.encode(entry.input, order="sorted")
    elif entry.kind == "tool_result":
        content = entry.text.encode(errors="replace")
    else:
        return 0
    return int.from_bytes(blake2b(content, digest_size=7).digest()) + 1
