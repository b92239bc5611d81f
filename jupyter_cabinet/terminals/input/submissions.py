"""Determines whether typed bytes submit a line: an Enter that is neither inside a bracketed paste nor Alt-Enter.

Pure.
"""

from __future__ import annotations

import re

_MARKS = re.compile(rb"\x1b\[20[01]~|\x1b?\r")
PASTE_BEGINS = b"\x1b[200~"
PASTE_ENDS = b"\x1b[201~"


class Submissions:
    """Follows the typing of one connection. A paste mark split over two messages is missed: no client splits it."""

    def __init__(self) -> None:
        self._pasting = False

    def feed(self, data: bytes) -> bool:
        """Return whether `data` has an Enter that counts."""
        submits = False
        for mark in _MARKS.findall(data):
            if mark == b"\r":
                submits = submits or not self._pasting
            elif mark != b"\x1b\r":  # a new line, in most programs
                self._pasting = mark == PASTE_BEGINS
        return submits
