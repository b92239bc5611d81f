"""The window title that a program sets (OSC 0 and 2), found in its output. Pure."""

from __future__ import annotations

import re

MAX_TITLE_CHARACTERS = 256
LONGEST_BYTES = 1100

_PATTERN = re.compile(rb"\x1b\][02];([^\x00-\x1f\x7f]{0,1024})(?:\x07|\x1b\\)")


class Titles:
    """Follows one PTY's output in any chunks."""

    def __init__(self) -> None:
        self._kept = b""
        self.current = ""

    def feed(self, chunk: bytes) -> str | None:
        """Return the title if `chunk` changes it."""
        if b"\x1b" not in chunk and not self._kept:
            return None
        data = self._kept + chunk
        end = 0
        before = self.current
        for match in _PATTERN.finditer(data):
            end = match.end()
            self.current = match[1].decode(errors="replace")[:MAX_TITLE_CHARACTERS]
        start = data.find(b"\x1b]", max(end, len(data) - LONGEST_BYTES))
        self._kept = data[start:] if start >= 0 else data[-1:] if data.endswith(b"\x1b") else b""
        return self.current if self.current != before else None
