"""Reads the lines of a growing file of JSON lines, each with its position, from any position on, a part at a time.

A last line without a line feed counts as soon as it is complete. Called by `sources.py`.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Generator
from typing import Any, BinaryIO

import msgspec

from ...runtimes.shared.messages.json_lines import object_of

MAX_LINE_BYTES = 8 << 20
CHUNK_BYTES = 256 << 10
TURN_BYTES = 16 << 20  # of one file; more than a line may have, so that a turn ends after a line or inside a long one


class TranscriptLine(msgspec.Struct, frozen=True):
    """A line at `position` (bytes). `value`: its object; None: it is not one, or it is too long."""

    position: int
    value: dict[str, Any] | None
    size: int  # bytes


class Place(msgspec.Struct, frozen=True):
    """Where a reading ends and the next one begins. `position`: in bytes.

    `inside`: the beginning of the line of more than 8 MiB that `position` is in the middle of; None: it begins a line.
    """

    position: int = 0
    inside: int | None = None
    at_end: bool = False  # of the file


def lines_from(file: BinaryIO, place: Place) -> Generator[TranscriptLine, None, Place]:
    """Yield the lines of the next 16 MiB, and return where they end. Holds at most 8 MiB of a line. Raises `OSError`.

    A last line without a line feed is yielded only if it is a complete object. A line of more than 8 MiB has no value.
    """
    line, at = (place.position, place.position)
    if place.inside is not None:
        line, at = place.inside, _after_hole(file, place.position)
    until, size, parts = at + TURN_BYTES, at - line, list[bytes]()
    file.seek(at)
    while at < until and (chunk := file.read(min(CHUNK_BYTES, until - at))):
        at += len(chunk)
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            size += len(part)
            if size <= MAX_LINE_BYTES:
                parts.append(part)
            yield _line(line, b"".join(parts), size)
            line += size + 1
            parts, size = [], 0
        size += len(rest)
        if size <= MAX_LINE_BYTES:
            parts.append(rest)
        else:
            parts.clear()
    at_end = at < until
    if size > MAX_LINE_BYTES:
        return Place(at, inside=line, at_end=at_end)
    last = _line(line, b"".join(parts), size) if size and at_end else None
    if last is None or last.value is None:
        return Place(line, at_end=at_end)
    yield last
    return Place(at, at_end=True)


def _after_hole(file: BinaryIO, position: int) -> int:
    """Return where the next stored bytes are: a sparse file may have terabytes of zeros that take no space."""
    try:
        return os.lseek(file.fileno(), position, os.SEEK_DATA)
    except OSError as error:
        if error.errno != errno.ENXIO:  # a file system that knows no holes
            return position
        return max(position, os.fstat(file.fileno()).st_size)


def line_at(file: BinaryIO, position: int) -> TranscriptLine:
    """Return the line at a position, where one must begin; an empty one at the end of the file.

    A longer one than 8 MiB is not read to its end: it has no value, and `size` is only a little more than 8 MiB. Raises
    `OSError`.
    """
    file.seek(position)
    text = file.readline(MAX_LINE_BYTES + 1).removesuffix(b"\n")
    return _line(position, text, len(text))


def _line(position: int, text: bytes, size: int) -> TranscriptLine:
    value = object_of(text) if size <= MAX_LINE_BYTES and text.strip() else None
    return TranscriptLine(position, value, size)
