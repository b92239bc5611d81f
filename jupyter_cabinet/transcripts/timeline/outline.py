"""Builds the timeline of a session: which entries are shown, on which branch, each call with its result. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from ...runtimes.edited_files import action_of
from ...runtimes.model import ToolCall
from ...runtimes.session_entries import Entry
from ..index.summaries import CHANGES, IS_ERROR
from ..model import EntryMark, TimelineEntry
from ..reading.entry_reader import IndexedEntry

SHOWN_CHARACTERS = 20_000  # of one text; the export has all of it


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """The shown entries of a session, in order. `results`: rows of the results, by the id of their call."""

    shown: tuple[IndexedEntry, ...]
    results: dict[str, IndexedEntry]
    hidden: int
    ends: tuple[str, ...]  # ids of the last entry of each branch, the oldest first; one if there is no tree
    branch: str  # the one of them that is shown; empty: the last one
    errors: tuple[int, ...]
    people: tuple[int, ...]
    edits: tuple[int, ...]


def outline_of(rows: Sequence[IndexedEntry], *, branch: str = "", with_unknown: bool = False) -> Outline:
    """Choose the entries. `branch`: the id of an entry of the wanted branch; empty: the one that the CLI continues.

    An unknown `branch` counts as empty. `with_unknown`: also show the kinds `other` and `model_change`.
    """
    ends = _ends(rows)
    end = _end_after(rows, ends, branch)
    on_branch = _path(rows, end or ends[-1]) if len(ends) > 1 else list(rows)
    results = {row.call_id: row for row in on_branch if row.kind == "tool_result" and row.call_id}
    called = {row.call_id for row in on_branch if row.kind == "tool_call"}
    with_results = [row for row in on_branch if row.kind != "tool_result" or row.call_id not in called]
    shown = [row for row in with_results if with_unknown or row.kind not in ("other", "model_change")]
    return Outline(
        shown=tuple(shown),
        results=results,
        hidden=len(with_results) - len(shown),
        ends=ends or ("",),
        branch=end,
        errors=tuple(place for place, row in enumerate(shown) if _failed(row, results)),
        people=tuple(place for place, row in enumerate(shown) if row.kind == "user" and not row.side),
        edits=tuple(place for place, row in enumerate(shown) if row.flags & CHANGES),
    )


def _failed(row: IndexedEntry, results: Mapping[str, IndexedEntry]) -> bool:
    result = results.get(row.call_id or "")
    return row.kind == "error" or bool(result and row.kind == "tool_call" and result.flags & IS_ERROR)


def _ends(rows: Sequence[IndexedEntry]) -> tuple[str, ...]:
    """Return the entries of a tree that no other entry names as its parent, in the order of the file."""
    parents = {row.parent for row in rows if row.parent}
    return tuple(row.id for row in rows if row.parent is not None and row.id not in parents)


def _end_after(rows: Sequence[IndexedEntry], ends: tuple[str, ...], id: str) -> str:
    """Return the end of the newest branch with an entry; empty: the last branch, also if there is no such entry."""
    if not id:
        return ""
    after = {id}
    for row in rows:
        if row.parent in after:
            after.add(row.id)
    end = next((each for each in reversed(ends) if each in after), "")
    return "" if end in ends[-1:] else end


def _path(rows: Sequence[IndexedEntry], end: str) -> list[IndexedEntry]:
    """Return the entries from the root to an end. A damaged tree ends the path, and a loop does too."""
    by_id = {row.id: row for row in rows}
    path: list[IndexedEntry] = []
    seen: set[str] = set()
    row = by_id.get(end)
    while row is not None and row.id not in seen:
        seen.add(row.id)
        path.append(row)
        row = by_id.get(row.parent) if row.parent else None
    return path[::-1]


def place_of(outline: Outline, rows: Sequence[IndexedEntry], id: str) -> int | None:
    """Return the number of an entry among the shown ones; of a result, its call's. None: there is no such entry.

    `rows`: all entries. One that is not shown has the number of the nearest shown one before it.
    """
    row = next((row for row in rows if row.id == id), None)
    if row is None:
        return None
    call = row.call_id if row.kind == "tool_result" else None
    earlier = 0
    for place, shown in enumerate(outline.shown):
        if shown.id == id or (call and shown.kind == "tool_call" and shown.call_id == call):
            return place
        if shown.place < row.place:
            earlier = place
    return earlier


def page_of(outline: Outline, start: int, limit: int) -> tuple[Sequence[IndexedEntry], Sequence[IndexedEntry]]:
    """Return the rows of a page, and the rows that must be read for it: they and the results of their calls."""
    page = outline.shown[start : start + limit]
    results = [outline.results[row.call_id or ""] for row in page if _has_result(row, outline)]
    return page, [*page, *results]


def _has_result(row: IndexedEntry, outline: Outline) -> bool:
    return row.kind == "tool_call" and row.call_id in outline.results


def missing_entry(id: str) -> Entry:
    """Return what replaces an entry that the CLI has removed since it was indexed."""
    return Entry(id=id, kind="other", text="This entry is no longer in the transcript.")


def entry_of(
    outline: Outline, place: int, entries: Mapping[str, Entry], marks: Mapping[str, EntryMark], runtime: str
) -> TimelineEntry:
    """Return one entry as people read it. `place`: its number among the shown entries."""
    row = outline.shown[place]
    entry = entries.get(row.id) or missing_entry(row.id)
    after = outline.shown[place + 1] if place + 1 < len(outline.shown) else None
    mark = marks.get(row.id) or EntryMark(entry=row.id)
    result = entries.get(outline.results[row.call_id].id) if row.call_id and _has_result(row, outline) else None
    text, is_cut = _cut(entry.text)
    is_call = entry.kind == "tool_call"
    call = ToolCall(call_id=entry.call_id, tool=entry.tool, input=entry.input)
    return TimelineEntry(
        id=row.id,
        place=place,
        kind=entry.kind,
        at=row.at,
        seconds=max(0.0, after.at - row.at) if after and after.at is not None and row.at is not None else None,
        text=text,
        is_cut=is_cut or bool(result and len(result.text) > SHOWN_CHARACTERS),
        tool=entry.tool,
        action=action_of(runtime, call) if is_call else None,
        result=result.text[:SHOWN_CHARACTERS] if result else None,
        is_error=entry.is_error or bool(result and result.is_error),
        model=entry.model,
        usage=entry.usage,
        side=entry.side,
        bookmarked=mark.bookmarked,
        note=mark.note,
    )


def _cut(text: str) -> tuple[str, bool]:
    return text[:SHOWN_CHARACTERS], len(text) > SHOWN_CHARACTERS


def needed_in_order(outline: Outline) -> list[IndexedEntry]:
    """Return the shown entries, each call followed by its result."""
    found: list[IndexedEntry] = []
    for row in outline.shown:
        found.append(row)
        if _has_result(row, outline):
            found.append(outline.results[row.call_id or ""])
    return found
