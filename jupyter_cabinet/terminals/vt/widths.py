"""How many columns a character takes, as xterm.js 5.5 counts. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator


def runs(text: str) -> Iterator[tuple[str, int]]:
    """Narrow characters together, with 1; others one by one with their width."""
    if text.isascii():
        yield text, 1
        return
    narrow = ""
    for character in text:
        columns = width(character)
        if columns == 1:
            narrow += character
            continue
        if narrow:
            yield narrow, 1
            narrow = ""
        yield character, columns
    if narrow:
        yield narrow, 1


def width(character: str) -> int:
    """0 for what joins the character before it."""
    if character < "\u0300":
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
