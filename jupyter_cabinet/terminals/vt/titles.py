"""The window title that a program sets (OSC 0 and 2). Pure."""

from __future__ import annotations

from .sequences import Sequence
from .sieve import number_of

MAX_TITLE_CHARACTERS = 256
_COMMANDS = (0, 2)


def title_of(sequence: Sequence) -> str | None:
    """Return the title that a sequence sets, at most 256 printable characters; None for any other sequence."""
    if sequence.kind != "osc" or number_of(sequence) not in _COMMANDS:
        return None
    text = sequence.text.partition(b";")[2].decode(errors="replace")
    return "".join(each for each in text if each.isprintable())[:MAX_TITLE_CHARACTERS]


class Titles:
    """Follows one PTY's title."""

    def __init__(self) -> None:
        self.current = ""

    def see(self, sequence: Sequence) -> str | None:
        """Return the title if `sequence` changes it, else None."""
        title = title_of(sequence)
        if title is None or title == self.current:
            return None
        self.current = title
        return title
