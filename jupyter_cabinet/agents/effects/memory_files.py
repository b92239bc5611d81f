"""Adds an entry to a file of an agent's memory. Called under the agent's lock."""

from __future__ import annotations

import itertools

from ..memory import CAPS, Entry, Section, month_of, with_archived, with_entry
from .places import MAX_ARCHIVE_BYTES, Places


def remember(places: Places, agent: str, name: str, entry: Entry) -> None:
    """Add an entry to `memory/<name>.md`, once for each key. What no longer fits is in an archive before it is gone.

    Raises `Malformed`, `NoRoom`, `Unavailable`.
    """
    file = f"{agent}/memory/{name}.md"
    text = places.read(file)
    archive = places.read(_archive(agent, name, month_of(entry.at)), limit=MAX_ARCHIVE_BYTES) or ""
    trimmed = with_entry(text or "", entry, cap=CAPS[name], archive=archive)
    for month, sections in itertools.groupby(trimmed.archived, lambda section: section.month):
        _add_to_archive(places, _archive(agent, name, month), list(sections))
    if trimmed.kept != text:
        places.write(file, trimmed.kept)


def _archive(agent: str, name: str, month: str) -> str:
    return f"{agent}/memory/archive/{name}-{month}.md"


def _add_to_archive(places: Places, file: str, sections: list[Section]) -> None:
    before = places.read(file, limit=MAX_ARCHIVE_BYTES) or ""
    after = with_archived(before, sections)
    if after != before:
        places.write(file, after)
