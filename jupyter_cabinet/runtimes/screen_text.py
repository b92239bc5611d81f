"""Takes the words and the window titles out of what a program draws on a terminal. Pure.

It is no emulator: it knows neither size nor cursor. TUIs put the cursor where others write a space, so words
are given without any white space, to be compared with phrases that have none either (`compact`).
"""

from __future__ import annotations

import codecs
import re

WINDOW_CHARACTERS = 16_000  # of words kept
MAX_SEQUENCE_CHARACTERS = 4_096  # a longer one is taken for text

_SEQUENCE = re.compile(
    r"\x1b\](?P<osc>[^\x07\x1b]*)(?:\x07|\x1b\\)"  # OSC: titles, links
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # DCS and its like
    r"|\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, moves
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"  # the short ones
)
_OPEN_END = re.compile(r"\x1b(?:[\]PX^_][^\x07\x1b]*\x1b?|\[[0-?]*[ -/]*|[ -/]*)\Z")
_NOT_WORDS = re.compile(r"[\s\x00-\x1f\x7f]+")


def compact(text: str) -> str:
    """`text` without white space and control characters."""
    return _NOT_WORDS.sub("", text)


class ScreenText:
    """Feed it the PTY's bytes; any chunk boundary."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._rest = ""
        self.words = ""  # the latest ones, compact
        self.at_title = 0  # where in `words` the title last became another one
        self._title = ""

    def feed(self, data: bytes) -> list[str]:
        """Add to `words`; return the window titles that were set, in order."""
        text = self._rest + self._decode(data)
        cut = _OPEN_END.search(text, max(0, len(text) - MAX_SEQUENCE_CHARACTERS))
        end = cut.start() if cut else len(text)
        text, self._rest = text[:end], text[end:]
        titles, place = [], 0
        for found in _SEQUENCE.finditer(text):
            self._add(text[place : found.start()])
            place = found.end()
            if (title := _title(found["osc"])) is not None:
                titles.append(title)
                if title != self._title:
                    self._title, self.at_title = title, len(self.words)
        self._add(text[place:])
        return titles

    def forget(self) -> None:
        """Words from before no longer count."""
        self.words = ""
        self.at_title = 0

    def _add(self, text: str) -> None:
        self.words += compact(text)
        if (over := len(self.words) - WINDOW_CHARACTERS) > 0:
            self.words = self.words[over:]
            self.at_title = max(0, self.at_title - over)


def _title(osc: str | None) -> str | None:
    code, _, text = (osc or "").partition(";")
    return text if code in ("0", "2") else None
