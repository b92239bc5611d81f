"""Splits a stream of bytes into lines and reads each as a JSON object. Pure; under every parser.

It does not know what the objects mean. Chunk boundaries, CRLF, garbage and overlong lines are its business.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

MAX_LINE_BYTES = 8 * 1024 * 1024

_decoder = msgspec.json.Decoder()


class Overlong(msgspec.Struct, frozen=True):
    """A line that was longer than the limit and was thrown away. `size`: its bytes."""

    size: int


class NotJson(msgspec.Struct, frozen=True):
    """A line that is not a JSON object."""

    text: str


class JsonLines:
    """Takes chunks, gives objects. A JSON value that is no object counts as `NotJson`."""

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []  # of the line that has not ended yet
        self._size = 0  # of that line, also of what was thrown away

    def feed(self, data: bytes) -> Iterator[dict[str, Any] | Overlong | NotJson]:
        """The lines that end in this chunk."""
        *ended, rest = data.split(b"\n")
        for part in ended:
            self._keep(part)
            yield from self._take()
        self._keep(rest)

    def flush(self) -> Iterator[dict[str, Any] | Overlong | NotJson]:
        """The last line, where the stream ended without a line feed."""
        yield from self._take()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._limit:
            self._parts.append(part)
        else:
            self._parts.clear()

    def _take(self) -> Iterator[dict[str, Any] | Overlong | NotJson]:
        line, size = b"".join(self._parts).strip(), self._size
        self._parts, self._size = [], 0
        if size > self._limit:
            yield Overlong(size)
        elif line:
            yield _read(line)


def _read(line: bytes) -> dict[str, Any] | NotJson:
    try:
        value = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        value = None
    return value if isinstance(value, dict) else NotJson(line.decode(errors="replace"))
