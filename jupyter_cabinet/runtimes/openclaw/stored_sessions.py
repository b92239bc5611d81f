"""Reads the sessions that OpenClaw keeps: one SQLite database for each of its agents, and JSON lines of older versions.

Both contain lines in pi's format. Facts: 2026.9.6, and its published schema for tables that the recording does not
have. A line of 1 KiB and more may be compressed with Zstandard, which Python below 3.14 reads only with the package
`backports.zstd`. Without it, the entry says so and keeps its place in the tree.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from ..session_entries import Entry, Item, SessionDatabase, SessionFacts, SessionFiles, SessionStore, StoredSession
from ..shared.messages.json_lines import object_of
from ..shared.messages.pi_sessions import read_line
from ..shared.messages.stored_lines import seconds
from .login import state_folder

LONGEST_LINE_BYTES = 8 << 20  # decompressed; OpenClaw compresses lines of 4 MiB at most
NO_ZSTANDARD = "This entry is compressed. Install the Python package backports.zstd on the server to read it."
DAMAGED = "This entry cannot be read."
# Files beside the sessions: what a run did in the CLI's own words, and copies from before a compaction.
_BESIDE = (".trajectory", ".checkpoint.")
# The index of the primary key has all that is needed here. A line that is written again has another row.
_SESSIONS = """
SELECT session_id, count(*), max(seq), max(rowid), {generation}, {label}, {parent}, {is_sub_agent}
FROM transcript_events AS events GROUP BY session_id
"""
_GENERATION = (
    "(SELECT generation FROM transcript_rewrite_watermarks AS marks WHERE marks.session_id = events.session_id)"
)
_NODE = (
    "(SELECT {column} FROM session_windows AS windows JOIN session_nodes AS nodes"
    " ON nodes.session_key = windows.session_key WHERE windows.session_id = events.session_id)"
)
_PARENT = (
    "coalesce(fork_source_session_id, (SELECT current_session_id FROM session_nodes AS parents"
    " WHERE parents.session_key = coalesce(nodes.spawned_by, nodes.parent_session_key)))"
)
# Texts are read as bytes, because those of a damaged database may not be UTF-8.
_LINES = """
SELECT seq, CAST(event_json AS BLOB), {compressed}, created_at, {event_id}, {event_parent}
FROM transcript_events AS events WHERE session_id = ?1
AND (?2 IS NULL OR seq IN (SELECT value FROM json_each(?2))) ORDER BY seq
"""
_IDENTITY = (
    "(SELECT {column} FROM transcript_event_identities AS known"
    " WHERE known.session_id = events.session_id AND known.seq = events.seq)"
)


def session_stores(environment: Mapping[str, str]) -> tuple[SessionStore, ...]:
    """Return where OpenClaw keeps its sessions and how to read them, whether or not the folders exist.

    `environment`: the server's variables. Older versions kept one file for each session.
    """
    folder = state_folder(environment)
    files = SessionFiles(
        folder=folder, patterns=("agents/*/sessions/*.jsonl",), read_line=read_line, facts_of_path=facts_of_path
    )
    databases = SessionDatabase(
        folder=folder, patterns=("agents/*/agent/openclaw-agent.sqlite",), sessions=sessions, entries=entries
    )
    return databases, files


def facts_of_path(path: Path) -> SessionFacts:
    """Return the id, the name without `.jsonl`. It is empty for the files in `_BESIDE`, so that they are not read."""
    return SessionFacts(native_id="" if any(part in path.stem for part in _BESIDE) else path.stem)


def sessions(database: sqlite3.Connection) -> Iterator[StoredSession]:
    """Yield every session, in no fixed order. Raises `sqlite3.Error` for a database of another layout."""
    tables = {str(row[0]) for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    has_nodes = {"session_nodes", "session_windows"} <= tables
    query = _SESSIONS.format(
        generation=_GENERATION if "transcript_rewrite_watermarks" in tables else "''",
        label=_NODE.format(column="label") if has_nodes else "''",
        parent=_NODE.format(column=_PARENT) if has_nodes else "''",
        is_sub_agent=_NODE.format(column="nodes.spawned_by IS NOT NULL") if has_nodes else "0",
    )
    for id, *revision, label, parent, is_sub_agent in database.execute(query):
        title = label if isinstance(label, str) else ""
        facts = SessionFacts(
            native_id=str(id),
            title=title,
            parent_id=parent if isinstance(parent, str) and parent != id else "",
            is_sub_agent=bool(is_sub_agent),
        )
        yield StoredSession(facts=facts, revision=f"{'-'.join(map(str, revision))}-{title}")


def entries(
    database: sqlite3.Connection, session: str, positions: Collection[int] | None = None
) -> Iterator[tuple[int, Item]]:
    """Yield the items of a session in order; the position is the number of a line.

    `positions`: only these; None: all. A line that cannot be read gives an entry that says so. Raises `sqlite3.Error`
    for a database of another layout.
    """
    columns = {str(row[1]) for row in database.execute("PRAGMA table_info(transcript_events)")}
    known = list(database.execute("PRAGMA table_info(transcript_event_identities)"))
    query = _LINES.format(
        compressed="event_zstd" if "event_zstd" in columns else "NULL",
        event_id=_IDENTITY.format(column="event_id") if known else "NULL",
        event_parent=_IDENTITY.format(column="parent_id") if known else "NULL",
    )
    wanted = None if positions is None else msgspec.json.encode(list(positions)).decode()
    for number, text, compressed, at, id, parent in database.execute(query, (session, wanted)):
        line = _decompressed(compressed) if text is None and isinstance(compressed, bytes) else text
        value = object_of(line) if isinstance(line, bytes) else None
        if value is not None:
            yield from ((number, _of_row(item)) for item in read_line(number, value))
        else:
            why = NO_ZSTANDARD if text is None and compressed is not None and _zstandard() is None else DAMAGED
            place: dict[str, Any] = {"id": str(id), "parent": str(parent or "")} if id else {"id": f"line {number}"}
            yield number, Entry(kind="other", at=seconds(at), text=why, **place)


def _of_row(item: Item) -> Item:
    """The row knows the session better than its first line, which a copy of a session may share with the original."""
    return msgspec.structs.replace(item, native_id="") if isinstance(item, SessionFacts) else item


def _decompressed(data: bytes) -> bytes | None:
    """Return a line; None if it is damaged, longer than a line may be, or if nothing here can decompress it."""
    decompressor = _zstandard()
    if decompressor is None:
        return None
    try:
        found = decompressor()
        line: bytes = found.decompress(data, LONGEST_LINE_BYTES)
    except Exception:  # each of the packages has its own error
        return None
    return line if found.eof else None


def _zstandard() -> Callable[[], Any] | None:
    """Return the class that decompresses: of Python 3.14, or of its backport."""
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            return import_module(name).ZstdDecompressor  # type: ignore[no-any-return]
    return None
