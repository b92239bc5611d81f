"""The values that the readers of stored sessions return: entries, facts about the session, and where sessions are kept.

A *session* is one conversation of one CLI, as the CLI keeps it on disk. The `stored_sessions.py` of each CLI reads its
format; `transcripts/` finds the files, reads them through these values, and judges them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from .model import Usage

EntryKind = Literal[
    "user",  # a person's instruction; `tool_result` is separate
    "assistant",
    "thinking",
    "tool_call",
    "tool_result",
    "error",  # of the model's service or of the CLI
    "retry",  # the service failed and the CLI tries again
    "compaction",  # the CLI has replaced the earlier conversation by a summary, which is `text`
    "model_change",
    "attachment",  # an image or file; `text` is its name or type, never its content
    "other",  # a kind that the reader does not know; `text` names it
]


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of a session. An entry with the id of an earlier one replaces it."""

    id: str  # unique within the session; the CLI's own id where it has one
    kind: EntryKind
    at: float | None = None  # seconds since 1970
    text: str = ""  # for a tool's result: its output
    call_id: str = ""  # connects a call with its result
    tool: str = ""  # the CLI's name of the tool
    input: dict[str, Any] = {}  # the arguments of the call
    is_error: bool = False  # the result of a tool is an error
    model: str = ""
    usage: Usage | None = None  # of one answer of the model; counts once for all entries with the same `answer`
    cost_usd: float | None = None  # of the same answer, if the CLI stores it
    answer: str = ""  # the id of the model's answer that this entry is a part of
    parent: str | None = None  # in a tree: id of the entry before it, "" for none; None: the entries are linear
    side: str = ""  # the id of the call or sub-agent whose conversation this entry belongs to; empty: the main one


class SessionFacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a line says about the whole session. A field that is empty or None says nothing."""

    native_id: str = ""
    cwd: str = ""  # absolute
    title: str = ""  # the CLI's own title
    parent_id: str = ""  # native id of the session that this one was forked from, or that started it as a sub-agent
    is_sub_agent: bool = False
    context_window: int = 0  # tokens
    cost_usd: float | None = None  # of the whole session so far
    usage: Usage | None = None  # of the whole session so far, if the entries have none


class EntriesReplaced(msgspec.Struct, frozen=True):
    """All earlier entries of this session no longer count: the CLI has written the conversation again."""


class LinkedLine(msgspec.Struct, frozen=True):
    """A line without an entry of its id, through which the conversation runs: later lines may name it."""

    id: str
    parent: str  # id of the line before it; empty: none


class Continues(msgspec.Struct, frozen=True, omit_defaults=True):
    """The conversation continues after or before an earlier line. What came after that line may be abandoned.

    It is abandoned if it contains an instruction of a person. For CLIs whose entries are linear.
    """

    after: str = ""  # id of a line or an entry; empty: the beginning
    before: str = ""  # id of an entry; counts instead of `after`
    before_last: int = 0  # continue before this many of the last instructions; overrides the ids


Item = Entry | SessionFacts | EntriesReplaced | LinkedLine | Continues


class SessionFiles(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions that are kept as one file of JSON lines each."""

    folder: Path
    patterns: tuple[str, ...]  # globs below it, without `**`
    # The items of one line: its position in bytes, and its JSON object. It keeps no state, so that reading can begin
    # at any line. It never raises because of content.
    read_line: Callable[[int, dict[str, Any]], Iterator[Item]]
    # What the path says, relative to the folder: at least `native_id`, as far as no line says otherwise.
    facts_of_path: Callable[[Path], SessionFacts]


class StoredSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session in a database. `revision` differs after each change of it."""

    facts: SessionFacts  # with its native id
    revision: str


class SessionDatabase(msgspec.Struct, frozen=True, kw_only=True):
    """Sessions that are kept in SQLite databases. The caller opens them read-only."""

    folder: Path
    patterns: tuple[str, ...]
    sessions: Callable[[sqlite3.Connection], Iterable[StoredSession]]
    # The items of a session, each with its position (a row number); only those at the given positions, if there are
    # any. Raises `sqlite3.Error` for a database of another layout.
    entries: Callable[[sqlite3.Connection, str, Collection[int] | None], Iterator[tuple[int, Item]]]


SessionStore = SessionFiles | SessionDatabase
