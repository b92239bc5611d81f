"""Adds an entry to a file of an agent's memory. Called under the agent's lock."""

from __future__ import annotations

import itertools
from collections import defaultdict

from ...files.safe_files import MAX_FILE_BYTES, MAX_MEMORY_BYTES
from ...memory.archive import with_archived
from ...memory.entries import CAPS, Entry, Section, month_of, with_entry
from .agent_data import AgentData

ARCHIVE = "memory/archive"


def remember(places: AgentData, agent: str, name: str, entry: Entry) -> str:
    """Add an entry to `memory/<name>.md`, once for each key. Entries that no longer fit are archived first.

    Returns a sentence for people if the file was too large to be shown, else an empty text. Raises `Malformed`,
    `NoRoom`, `Unavailable`.
    """
    file = f"{agent}/memory/{name}.md"
    had = places.size(file)
    if had > MAX_MEMORY_BYTES:
        places.move(file, f"{agent}/{ARCHIVE}")
    text = places.read(file, limit=MAX_MEMORY_BYTES)
    archive = "\n".join(_parts(places, agent, f"{name}-{month_of(entry.at)}"))
    trimmed = with_entry(text or "", entry, cap=CAPS[name], archive=archive)
    by_month: defaultdict[str, list[Section]] = defaultdict(list)
    for section in trimmed.archived:
        by_month[section.month].append(section)
    for month, sections in by_month.items():
        _add_to_archive(places, agent, f"{name}-{month}", sections)
    if trimmed.kept != text:
        places.write(file, trimmed.kept)
    return _moved(name, had) if had > MAX_FILE_BYTES else ""


def _parts(places: AgentData, agent: str, archive: str) -> list[str]:
    """Return the texts of the parts of an archive, such as `context-2026-01.md` and `context-2026-01-2.md`."""
    texts = (places.read(_part(agent, archive, part), limit=MAX_MEMORY_BYTES) for part in itertools.count(1))
    return [text for text in itertools.takewhile(lambda text: text is not None, texts) if text is not None]


def _part(agent: str, archive: str, part: int) -> str:
    return f"{agent}/{ARCHIVE}/{archive}{f'-{part}' if part > 1 else ''}.md"


def _add_to_archive(places: AgentData, agent: str, archive: str, sections: list[Section]) -> None:
    before = _parts(places, agent, archive)
    for part, text in enumerate(with_archived(before, sections, most=MAX_FILE_BYTES), start=1):
        if before[part - 1 : part] != [text]:
            places.write(_part(agent, archive, part), text)


def _moved(name: str, had: int) -> str:
    return (
        f"memory/{name}.md had {had / 2**20:.1f} MiB; at most {MAX_FILE_BYTES >> 20} MiB can be shown. "
        f"Its older part was moved to {ARCHIVE}/."
    )
