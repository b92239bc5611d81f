"""Reads the sessions that opencode keeps in its SQLite database: sessions, their messages, and the parts of those.

Facts: 1.18.33. A tool's call and its result are one part. A summary is an answer that is marked as one, after a user's
message with a part `compaction`. A copy of a session (`fork`) does not name the original.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from glob import escape
from typing import Any

import msgspec

from ...storage.filesystem.untrusted_files import decoded
from ..model import ToolResult
from ..session_entries import Entry, EntryKind, Item, SessionDatabase, SessionFacts, StoredSession
from ..shared.messages.json_values import dollars, inner, string
from ..shared.messages.stored_lines import seconds
from .failures import of_error
from .login import data_folder
from .messages import tokens_of, tool_events

_SESSIONS = """
SELECT id, parent_id, directory, title, time_updated,
    (SELECT count(*) FROM part WHERE part.session_id = session.id),
    (SELECT count(*) FROM message WHERE message.session_id = session.id),
    (SELECT max(time_updated) FROM message WHERE message.session_id = session.id)
FROM session
"""
# Texts are read as bytes, because those of a damaged database may not be UTF-8. The message of a part may be missing.
_PARTS = """
SELECT part.rowid, part.id, CAST(part.data AS BLOB), part.time_created, message.id, CAST(message.data AS BLOB),
    message.time_created
FROM part LEFT JOIN message ON message.id = part.message_id WHERE part.session_id = ?1
AND (?2 IS NULL OR part.rowid IN (SELECT value FROM json_each(?2)))
ORDER BY message.time_created, message.id, part.id
"""
# An error belongs to a message, which may have no parts.
_ERRORS = """
SELECT -rowid, id, CAST(data AS BLOB), time_updated, time_created FROM message
WHERE session_id = ?1 AND instr(data, '"error"') AND (?2 IS NULL OR -rowid IN (SELECT value FROM json_each(?2)))
ORDER BY time_created, id
"""
_INTERRUPTED = "MessageAbortedError"  # by a person
_SILENT = ("step-start", "step-finish", "snapshot")  # parts that say nothing beyond their message


def session_stores(environment: Mapping[str, str]) -> tuple[SessionDatabase, ...]:
    """Return where opencode keeps its sessions and how to read them, whether or not the folders exist.

    `environment`: the server's variables. Versions of another channel than the release have a database with its name.
    """
    place = data_folder(environment)
    patterns: tuple[str, ...] = ("opencode.db", "opencode-*.db")
    if chosen := environment.get("OPENCODE_DB"):
        file = place / chosen  # an absolute path counts alone
        place, patterns = file.parent, (escape(file.name),)
    return (SessionDatabase(folder=place, patterns=patterns, sessions=sessions, entries=entries),)


def sessions(database: sqlite3.Connection) -> Iterator[StoredSession]:
    """Yield every session, in no fixed order. Raises `sqlite3.Error` for a database of another layout."""
    for id, parent, directory, title, *revision in database.execute(_SESSIONS):
        parent_id = parent if isinstance(parent, str) else ""
        facts = SessionFacts(
            native_id=str(id),
            cwd=directory if isinstance(directory, str) else "",
            title=title if isinstance(title, str) else "",
            parent_id=parent_id,
            is_sub_agent=bool(parent_id),
        )
        yield StoredSession(facts=facts, revision="-".join(map(str, revision)))


def entries(
    database: sqlite3.Connection, session: str, positions: Collection[int] | None = None
) -> Iterator[tuple[int, Item]]:
    """Yield the entries of a session in order, without what a person has reverted.

    `positions`: only these; None: all. A position is the row of a part, or the negated row of a message. Raises
    `sqlite3.Error` for a database of another layout. Damaged rows are no error.
    """
    found: list[tuple[tuple[float, str], int, Entry]] = []  # sorted by the message
    reverted = _reverted(database, session)
    wanted = None if positions is None else msgspec.json.encode(list(positions)).decode()
    for row, id, data, at, message_id, message, begun in database.execute(_PARTS, (session, wanted)):
        part, about = _object(data), _object(message)
        shared = _answer(str(message_id or ""), about) if about.get("role") == "assistant" else {}
        for entry in _entries(str(id), part, about, shared):
            timed = msgspec.structs.replace(entry, at=entry.at if entry.at is not None else seconds(at))
            found.append(((seconds(begun) or 0, str(message_id or "")), row, timed))
    for row, id, data, at, begun in database.execute(_ERRORS, (session, wanted)):
        message = _object(data)
        if error := inner(message, "error"):
            text = string(inner(error, "data"), "message") or of_error(error).message
            shared = _answer(str(id), message)
            kind: EntryKind = "other" if string(error, "name") == _INTERRUPTED else "error"
            error_entry = Entry(id=f"{id}:error", kind=kind, at=seconds(at), text=text, **shared)
            found.append(((seconds(begun) or 0, str(id)), row, error_entry))
    for place, row, entry in sorted(found, key=lambda each: each[0]):
        if reverted is None or place < reverted:
            yield row, entry


def _reverted(database: sqlite3.Connection, session: str) -> tuple[float, str] | None:
    """Return the place of the first message that a person has reverted. The next instruction removes them."""
    row = database.execute("SELECT CAST(revert AS BLOB) FROM session WHERE id = ?", (session,)).fetchone()
    id = string(_object(row[0]), "messageID") if row else ""
    begun = database.execute(
        "SELECT time_created FROM message WHERE id = ? AND session_id = ?", (id, session)
    ).fetchone()
    return (seconds(begun[0]) or 0, id) if begun else None


def _object(data: Any) -> dict[str, Any]:
    found = decoded(data) if isinstance(data, bytes) else None
    return found if isinstance(found, dict) else {}


def _answer(id: str, message: dict[str, Any]) -> dict[str, Any]:
    """Return what all entries of an answer share."""
    tokens = message.get("tokens")
    return {
        "answer": id,
        "model": string(message, "modelID"),
        "usage": tokens_of(tokens) if isinstance(tokens, dict) else None,
        "cost_usd": dollars(message.get("cost")),
    }


def _entries(id: str, part: dict[str, Any], message: dict[str, Any], shared: dict[str, Any]) -> Iterator[Entry]:
    kind, text = string(part, "type"), string(part, "text")
    match kind:
        case "text" if not shared:
            hidden = part.get("synthetic") is True or part.get("ignored") is True  # the CLI has added it
            yield Entry(id=id, kind="other" if hidden else "user", text=text)
        case "text":
            is_summary = message.get("summary") is True
            yield Entry(id=id, kind="compaction" if is_summary else "assistant", text=text, **shared)
        case "reasoning":
            yield Entry(id=id, kind="thinking", text=text, **shared)
        case "tool":
            yield from _tool(id, part, shared)
        case "file":
            yield Entry(id=id, kind="attachment", text=string(part, "filename") or string(part, "mime") or "file")
        case "retry":
            reason = string(inner(inner(part, "error"), "data"), "message")
            yield Entry(id=id, kind="retry", text=reason or "The model's service failed.", **shared)
        case _ if kind not in _SILENT:
            yield Entry(id=id, kind="other", text=kind or "part", **shared)


def _tool(id: str, part: dict[str, Any], shared: dict[str, Any]) -> Iterator[Entry]:
    times = inner(inner(part, "state"), "time")
    for event in tool_events(part):
        if isinstance(event, ToolResult):
            at, output, failed = seconds(times.get("end")), event.text, event.is_error
            own = f"{id}:result"
            yield Entry(id=own, kind="tool_result", at=at, call_id=event.call_id, text=output, is_error=failed)
        else:
            at, tool, call_id = seconds(times.get("start")), event.tool, event.call_id
            yield Entry(id=id, kind="tool_call", at=at, call_id=call_id, tool=tool, input=event.input, **shared)
