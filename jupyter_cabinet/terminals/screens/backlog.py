"""A PTY's last bytes, with the position and the modes from which they can be shown. Pure.

The modes at the oldest byte are updated once for each byte that falls out of the ring; those at a later position are
computed from there when a viewer starts at it.
"""

from __future__ import annotations

from collections import deque

import msgspec

from ..vt.blanks import blanked
from ..vt.modes import Modes
from ..vt.preludes import prelude
from ..vt.sequences import LONGEST_BYTES, Scanner
from .ring import Ring

RESIZES_KEPT = 256
CANCEL = b"\x18"


class Beginning(msgspec.Struct, frozen=True, kw_only=True):
    """Where a replay starts. `prelude`: to be drawn before its bytes, and not counted among them."""

    offset: int
    prelude: str
    alternate: bool  # it starts in a full-screen program


class Backlog:
    """Holds the ring, and the modes at its oldest byte."""

    def __init__(self, capacity: int, *, first: int, rows: int) -> None:
        self.ring = Ring(capacity, first=first)
        self._oldest = Modes(rows)
        self._resizes: deque[tuple[int, int]] = deque()  # (offset, rows)
        self._last: tuple[int, int, Beginning] | None = None
        self._replayed: tuple[bytes, bytes] | None = None

    def append(self, data: bytes) -> None:
        """Take new output; the oldest is dropped if there is no room."""
        base = self.ring.base
        gone = self.ring.append(data)
        if gone:
            self._follow(self._oldest, base, gone)
            while self._resizes and self._resizes[0][0] < base + len(gone):
                self._resizes.popleft()

    def resize(self, rows: int) -> None:
        """Record that the height has changed, after the newest byte."""
        self._resizes.append((self.ring.end, rows))
        if len(self._resizes) > RESIZES_KEPT:
            self._resizes.popleft()
        self._last = None

    def beginning(self, size: int) -> Beginning:
        """Return where to start to show about the last `size` bytes: outside of a sequence, if possible at a line."""
        wanted = self.ring.tail(size)
        if self._last is not None and self._last[:2] == (wanted, self.ring.base):
            return self._last[2]
        found = self._begin_at(wanted)
        self._last = (wanted, self.ring.base, found)
        return found

    def replay(self, offset: int, limit: int) -> bytes:
        """Return at most `limit` bytes from `offset`, without the queries in them; empty at the end.

        Queries become NUL bytes, so the length stays the same. Same position, same object.
        """
        data = self.ring.read(offset, limit)
        if self._replayed is None or self._replayed[0] is not data:
            self._replayed = (data, self._without_queries(data, offset))
        return self._replayed[1]

    def _without_queries(self, data: bytes, offset: int) -> bytes:
        before = self._before(offset)
        clean, settled = blanked(before + data)
        if settled <= len(before):  # only the beginning of a sequence
            data = self.ring.slice(offset, min(self.ring.end, offset + LONGEST_BYTES))
            clean, settled = blanked(before + data)
        if offset + len(data) == self.ring.end:
            settled = len(clean)
        if not before or clean.startswith(before):
            return clean[len(before) : settled]
        # The client has the beginning of a query: cancel it there.
        return CANCEL + clean[len(before) + 1 : settled]

    def _before(self, offset: int) -> bytes:
        """Return the sequence that is open at `offset`: a client may have left anywhere."""
        before = self.ring.slice(max(self.ring.start, offset - LONGEST_BYTES), offset)
        scanner = Scanner(modes=False)
        scanner.feed(before[max(0, before.rfind(b"\x1b")) :])
        return scanner.open_bytes

    def _begin_at(self, wanted: int) -> Beginning:
        ring = self.ring
        modes = self._oldest.copy()
        self._follow(modes, ring.base, ring.slice(ring.base, wanted))
        offset = wanted
        if modes.open_bytes:
            offset -= len(modes.open_bytes)
            if offset < ring.start:  # its beginning is gone: continue to its end
                further = min(ring.end, wanted + LONGEST_BYTES)
                self._follow(modes, wanted, ring.slice(wanted, further))
                offset = max(ring.start, further - len(modes.open_bytes))
        text = prelude(modes).decode(errors="replace") if offset > ring.first else ""
        return Beginning(offset=offset, prelude=text, alternate=modes.alternate)

    def _follow(self, modes: Modes, start: int, data: bytes) -> None:
        """Take `data` from offset `start` into account, and the sizes in which it was drawn."""
        place = start
        for offset, rows in self._resizes:
            if start <= offset <= start + len(data):
                modes.feed(data[place - start : offset - start])
                modes.resize(rows)
                place = offset
        modes.feed(data[place - start :])
