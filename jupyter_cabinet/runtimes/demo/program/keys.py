"""Reads keys from a terminal in raw mode: text, Enter, Backspace, bracketed paste, Ctrl-C, Ctrl-D. Standard library.

Ctrl-C arrives as SIGINT, so that it also reaches an agent that is working.
"""

from __future__ import annotations

import codecs
import os
import re
import select
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ENTER, BACKSPACE, END, ESCAPE = "\r", "\x7f", "\x04", "\x1b"
PASTE_BEGIN, PASTE_END = "\x1b[200~", "\x1b[201~"
BESIDE = "\0"  # no key: the other file has data
ESCAPE_SECONDS = 0.05  # an Esc that nothing follows within this time was the key itself
_KEY = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|[^\x1b]", re.DOTALL)
_OPEN = re.compile(r"\x1b(?:O?|\[[0-?]*[ -/]*)\Z")


@contextmanager
def raw_mode(fd: int) -> Iterator[None]:
    """Turn off echo and line editing and turn on bracketed paste; restore everything afterwards."""
    before = termios.tcgetattr(fd)
    mode: list[Any] = termios.tcgetattr(fd)
    mode[0] &= ~(termios.ICRNL | termios.IXON)
    mode[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
    try:
        termios.tcsetattr(fd, termios.TCSADRAIN, mode)
        sys.stdout.write("\x1b[?2004h")
        yield
    finally:
        sys.stdout.write("\x1b[?2004l\x1b[?25h")
        sys.stdout.flush()
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


class Keys:
    """Yield the keys of one terminal. A paste is one key: its text."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._text = ""

    def read(self, beside: int | None = None) -> str:
        """Wait for the next key. `END` when the terminal is closed, `BESIDE` when the other file has data."""
        while True:
            key = self._next()
            if key is not None:
                return key
            half_escape = bool(self._text) and not self._text.startswith(PASTE_BEGIN)
            if half_escape and not select.select([self._fd], [], [], ESCAPE_SECONDS)[0]:
                self._text = self._text[1:]
                return ESCAPE
            if beside is not None and self._fd not in select.select([self._fd, beside], [], [])[0]:
                return BESIDE
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                data = b""
            if not data:
                return END
            self._text += self._decode(data)

    def _next(self) -> str | None:
        if self._text.startswith(PASTE_BEGIN):
            pasted, mark, rest = self._text[len(PASTE_BEGIN) :].partition(PASTE_END)
            if not mark:
                return None
            self._text = rest
            return PASTE_BEGIN + pasted.replace("\r\n", "\n").replace("\r", "\n")
        found = _KEY.match(self._text)
        if found is None or _OPEN.fullmatch(self._text):
            return None
        self._text = self._text[found.end() :]
        return found[0]
