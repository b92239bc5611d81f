"""The last bytes of a PTY, by their offset. Pure; `screen.py` fills it, `stream.py` reads it."""

from __future__ import annotations

# Cutting a little late keeps the cost of cutting small; `start` never shows the difference.
SLACK_PARTS = 4
LINE_SEARCH_BYTES = 1 << 16  # how far to look for the end of a line before settling for less
UTF8_CONTINUATION = range(0x80, 0xC0)


class Ring:
    """Holds the last `capacity` bytes; memory grows only when they come."""

    def __init__(self, capacity: int, *, first: int = 0) -> None:
        self._capacity = capacity
        self._data = bytearray()
        self._base = first  # offset of the first byte in `_data`
        self._first = first
        self._last: tuple[int, int, bytes] = (-1, -1, b"")

    @property
    def start(self) -> int:
        """Offset of the oldest byte that can be read."""
        return max(self._base, self.end - self._capacity)

    @property
    def end(self) -> int:
        """Offset after the newest byte."""
        return self._base + len(self._data)

    @property
    def capacity(self) -> int:
        return self._capacity

    def append(self, data: bytes) -> None:
        self._data += data
        excess = len(self._data) - self._capacity
        if excess > self._capacity // SLACK_PARTS:
            del self._data[:excess]
            self._base += excess

    def holds(self, offset: int) -> bool:
        """Whether everything from `offset` on can still be read."""
        return self.start <= offset <= self.end

    def read(self, offset: int, limit: int) -> bytes:
        """At most `limit` bytes from `offset`. Readers at the same place get the same object."""
        until = min(self.end, offset + limit)
        if self._last[:2] != (offset, until):
            place = offset - self._base
            self._last = (offset, until, bytes(memoryview(self._data)[place : place + until - offset]))
        return self._last[2]

    def tail(self, size: int) -> int:
        """Where to begin to show about the last `size` bytes: at the start, or behind the end of a line.

        Without a line's end nearby: at an escape, which begins a sequence; else at a whole character.
        """
        wanted = max(self.start, self.end - size)
        if wanted == self._first:
            return wanted
        place = wanted - self._base
        line = self._data.find(b"\n", place, place + LINE_SEARCH_BYTES)
        if line >= 0:
            return self._base + line + 1
        escape = self._data.find(b"\x1b", place, place + LINE_SEARCH_BYTES)
        if escape >= 0:
            return self._base + escape
        while place < len(self._data) and self._data[place] in UTF8_CONTINUATION:
            place += 1
        return self._base + place
