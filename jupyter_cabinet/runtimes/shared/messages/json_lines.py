"""Splits a stream of bytes into lines and reads each as a JSON object. Pure; used by every parser.

It does not know what the objects mean. It handles chunk boundaries, CRLF, garbage and overlong lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

MAX_LINE_BYTES = 8 * 1024 * 1024

_decoder = msgspec.json.Decoder()


class Overlong(msgspec.Struct, frozen=True):
    """A line that was longer than the limit and was discarded. `size`: its bytes."""

    size: int


class NotJson(msgspec.Struct, frozen=True):
    """A line that is not a JSON object."""

    text: str


class JsonLines:
    """Takes chunks and returns objects. A JSON value that is not an object counts as `NotJson`."""

    def __init__(self, limit: int = MAX_LINE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []  # of the line that has not ended yet
        self._size = 0  # of that line, including discarded bytes

    def feed(self, data: bytes) -> Iterator[dict[str, Any] | Overlong | NotJson]:
        """Yield the lines that end in this chunk; empty ones are left out.

        Read the iterator to its end before the next call.
        """
        *ended, rest = data.split(b"\n")
        for part in ended:
            self._keep(part)
            yield from self._take()
        self._keep(rest)

    def flush(self) -> Iterator[dict[str, Any] | Overlong | NotJson]:
        """Yield the last line, if the stream ended without a line feed."""
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


def object_of(text: bytes) -> dict[str, Any] | None:
    """Return one JSON object; None if the text is anything else. Invalid characters are replaced."""
    value = _decoded(text)
    if value is None:
        whole = text.decode(errors="replace").encode()
        if b"\\ud" in whole or b"\\uD" in whole:
            whole = _HALF_PAIR.sub(_whole, whole)
        value = _decoded(whole) if whole != text else None
    return value if isinstance(value, dict) else None


def _decoded(text: bytes) -> Any:
    try:
        return _decoder.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


# Node escapes half of a surrogate pair on its own when a text was cut in the middle of an emoji.
_HALF_PAIR = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def _whole(escape: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if escape["half"] else escape[0]


def _read(line: bytes) -> dict[str, Any] | NotJson:
    value = object_of(line)
    return NotJson(line.decode(errors="replace")) if value is None else value
