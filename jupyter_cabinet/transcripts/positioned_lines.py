"""Reads the lines of a growing file of JSON lines, each with its position, from any position on.

A last line without a line feed counts as soon as it is complete. Called by `reading.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from ..runtimes.shared.json_lines import object_of

MAX_LINE_BYTES = 8 << 20
CHUNK_BYTES = 256 << 10


class TranscriptLine(msgspec.Struct, frozen=True):
    """A line at `position` (bytes), up to `end`. `value`: its object; None: it is not one, or it is too long."""

    position: int
    end: int
    value: dict[str, Any] | None
    size: int  # bytes


def lines_from(file: BinaryIO, position: int) -> Iterator[TranscriptLine]:
    """Yield the lines from `position` on, which must be the beginning of a line. Holds at most 8 MiB of a line."""
    file.seek(position)
    parts: list[bytes] = []
    size = 0
    while chunk := file.read(CHUNK_BYTES):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            size += len(part)
            if size <= MAX_LINE_BYTES:
                parts.append(part)
            yield _line(position, b"".join(parts), size, feed=1)
            position += size + 1
            parts, size = [], 0
        size += len(rest)
        if size <= MAX_LINE_BYTES:
            parts.append(rest)
        else:
            parts.clear()
    last = _line(position, b"".join(parts), size, feed=0) if size else None
    if last is not None and last.value is not None:
        yield last


def line_at(file: BinaryIO, position: int) -> TranscriptLine:
    """Return the line at a position. A longer one than 8 MiB is not read to its end."""
    file.seek(position)
    text = file.readline(MAX_LINE_BYTES + 2)
    return _line(position, text.rstrip(b"\n"), len(text), feed=0)


def _line(position: int, text: bytes, size: int, *, feed: int) -> TranscriptLine:
    value = object_of(text) if size <= MAX_LINE_BYTES and text.strip() else None
    return TranscriptLine(position, position + size + feed, value, size)
