"""The last bytes of a PTY, by their offset. Pure; `backlog.py` fills it, `stream.py` reads it."""

from __future__ import annotations

# Cutting late keeps it cheap (the rest is moved each time); `start` never shows the difference.
SLACK_PARTS = 2
LINE_SEARCH_BYTES = 1 << 16  # how far to search for the end of a line before accepting another position
UTF8_CONTINUATION = range(0x80, 0xC0)
READS_KEPT = 2


class Ring:
    """Holds the last `capacity` bytes; memory grows only when they come."""

    def __init__(self, capacity: int, *, first: int = 0) -> None:
        self._capacity = capacity
        self._data = bytearray()
        self._base = first  # offset of the first byte in `_data`
        self._reads: list[tuple[int, int, bytes]] = []  # the latest part, by offset, limit and end
        self.first = first

    @property
    def start(self) -> int:
        """Offset of the oldest byte that can be read."""
        return max(self._base, self.end - self._capacity)

    @property
    def base(self) -> int:
        """Offset of the oldest byte that is still in memory, at `start` or a little before."""
        return self._base

    @property
    def end(self) -> int:
        """Offset after the newest byte."""
        return self._base + len(self._data)

    @property
    def capacity(self) -> int:
        """How many bytes can be read back at most."""
        return self._capacity

    def append(self, data: bytes) -> bytes:
        """Take new bytes; return those that were dropped for them, which may be none for a while."""
        self._data += data
        excess = len(self._data) - self._capacity
        if excess <= self._capacity // SLACK_PARTS:
            return b""
        gone = bytes(memoryview(self._data)[:excess])
        del self._data[:excess]
        self._base += excess
        return gone

    def holds(self, offset: int) -> bool:
        """Return whether everything from `offset` on can still be read."""
        return self.start <= offset <= self.end

    def read(self, offset: int, limit: int, *, until: int | None = None) -> bytes:
        """Return at most `limit` bytes from `offset`, before `until`. Readers at the same position get the same object.

        Parts end at multiples of `limit`, so that readers who lag by different amounts soon need the same part, and
        with a complete character: xterm.js 5.5 loses some (U+2014 for one) that come in two parts.
        """
        end = self.end if until is None else until
        wanted = min(end, (offset // limit + 1) * limit)
        if wanted <= offset:
            return b""
        for known in self._reads:
            if known[:2] == (offset, wanted):
                return known[2]
        data = self.slice(offset, self._whole(offset, wanted))
        self._reads = [(offset, wanted, data), *self._reads[: READS_KEPT - 1]]
        return data

    def _whole(self, offset: int, wanted: int) -> int:
        """Return the end of a character at `wanted` or near it, after `offset`. At the ring's end there is one."""
        end = self.end
        for place in (wanted, wanted - 1, wanted - 2, wanted - 3, wanted + 1, wanted + 2, wanted + 3):
            if place == end or (offset < place < end and self._data[place - self._base] not in UTF8_CONTINUATION):
                return place
        return wanted

    def slice(self, start: int, end: int) -> bytes:
        """Return the bytes between two offsets that are still there."""
        return bytes(memoryview(self._data)[start - self._base : end - self._base])

    def tail(self, size: int) -> int:
        """Return where to start to show about the last `size` bytes: at the start, or after the end of a line.

        Without a line's end nearby: at an escape, which starts a sequence; else at a complete character.
        """
        wanted = max(self.start, self.end - size)
        if wanted == self.first:
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
