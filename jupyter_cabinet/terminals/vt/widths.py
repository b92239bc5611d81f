"""Column widths of characters, as xterm.js counts in the browser with its addon for Unicode 11. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from .width_table import NO_COLUMN, TWO_COLUMNS

_RANGES = sorted([*((*ends, 0) for ends in NO_COLUMN), *((*ends, 2) for ends in TWO_COLUMNS)])
_FIRSTS = [first for first, _, _ in _RANGES]


def runs(text: str) -> Iterator[tuple[str, int]]:
    """Yield narrow characters together, with 1; others one by one with their width, 0 or 2."""
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


@lru_cache(maxsize=4096)
def width(character: str) -> int:
    """Return the columns of a character: 2 for a wide one, 0 for one that joins the one before it, else 1."""
    code = ord(character)
    index = bisect_right(_FIRSTS, code) - 1
    if index < 0:
        return 1
    _, last, columns = _RANGES[index]
    return columns if code <= last else 1
