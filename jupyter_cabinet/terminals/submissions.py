"""Whether typed bytes submit a line: an Enter that is not inside a bracketed paste. Pure."""

from __future__ import annotations

import re

_MARKS = re.compile(rb"\x1b\[20[01]~|\r")
PASTE_BEGINS = b"\x1b[200~"
PASTE_ENDS = b"\x1b[201~"


class Submissions:
    """Follows what one connection types. A mark split over two messages is not seen: no client splits it."""

    def __init__(self) -> None:
        self._pasting = False

    def feed(self, data: bytes) -> bool:
        """Whether `data` has an Enter that counts."""
        submits = False
        for mark in _MARKS.findall(data):
            if mark == b"\r":
                submits = submits or not self._pasting
            else:
                self._pasting = mark == PASTE_BEGINS
        return submits
