"""Reads the parts that the stored sessions of several CLIs share: times, ids in file names, chains of entries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from ...session_entries import Entry

LATEST_SECONDS = 32_503_680_000.0  # the year 3000: anything later is not a time


def seconds(value: Any) -> float | None:
    """Return a time in seconds since 1970: from ISO 8601 (UTC by default), or from milliseconds. None for all else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            return None
        value = (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1000
    if not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value / 1000 if 0 <= value / 1000 < LATEST_SECONDS else None


def id_after_underscore(path: Path) -> str:
    """Return the id in a name such as `<time>_<id>.jsonl`; the whole name without its ending if there is none."""
    return path.stem.rpartition("_")[2]


def chained(entries: Sequence[Entry], *, id: str, at: float | None, parent: str | None = None) -> Iterator[Entry]:
    """Yield the entries of one line with ids and time: the last has the line's id, and each is the next one's parent.

    `parent`: the id of the line before it in a tree; None: the entries are linear.
    """
    for number, entry in enumerate(entries, start=1):
        own = id if number == len(entries) else f"{id}:{number}"
        yield msgspec.structs.replace(entry, id=own, at=at, parent=parent)
        parent = None if parent is None else own
