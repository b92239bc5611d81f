"""Finds text in the timeline of one session, as `text_search.py` does in all of them. Blocks."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping

from ...runtimes.session_entries import Entry
from ..model import TimelineMatches
from ..reading.entry_reader import IndexedEntry
from ..timeline.outline import Outline
from . import text_search

MOST_READ = 20_000  # entries that may match and are read to confirm it
READ_AT_ONCE = 500

Reader = Callable[[Collection[IndexedEntry]], Mapping[str, Entry]]


def find_matches(
    connection: sqlite3.Connection, outline: Outline, words: tuple[str, ...], read: Reader
) -> TimelineMatches:
    """Return the places of the shown entries that contain all words. A call also has its result's matches.

    None without words. At most 20,000 entries that may match are read. `read`: returns entries of the transcript by id.
    """
    places = {row.number: place for place, row in enumerate(outline.shown)}
    for place, row in enumerate(outline.shown):
        if row.kind == "tool_call" and row.call_id in outline.results:
            places[outline.results[row.call_id].number] = place
    if not places or not words:
        return TimelineMatches(places=())
    numbers = text_search.candidates_between(connection, words, min(places), max(places))
    rows = {row.number: row for row in (*outline.shown, *outline.results.values())}
    waiting = [rows[number] for number in sorted(places, key=places.__getitem__) if number in numbers]
    found = set[int]()
    for start in range(0, min(len(waiting), MOST_READ), READ_AT_ONCE):
        some = waiting[start : min(start + READ_AT_ONCE, MOST_READ)]
        entries = read(some)
        found |= {places[row.number] for row in some if _matches(entries.get(row.id), words)}
    return TimelineMatches(places=tuple(sorted(found)), is_complete=len(waiting) <= MOST_READ)


def _matches(entry: Entry | None, words: tuple[str, ...]) -> bool:
    return entry is not None and text_search.matches(text_search.searched_text(entry), words)
