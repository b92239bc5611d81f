"""Cuts texts to a number of bytes, at the end of a line or at least of a character. Pure."""

from __future__ import annotations

from collections.abc import Sequence

END_LEFT_OUT = "\n(The rest is left out.)"
START_LEFT_OUT = "(What came before is left out.)\n"


def size(text: str) -> int:
    """Return the size of a text in bytes of UTF-8."""
    return len(text.encode(errors="replace"))


def cut_end(text: str, cap: int) -> tuple[str, bool]:
    """Return the beginning of a text, at most `cap` bytes with a note of the cut, and whether it was cut.

    `cap`: more than the note, which has 24 bytes.
    """
    data = text.encode(errors="replace")
    if len(data) <= cap:
        return data.decode(), False
    kept = data[: max(0, cap - size(END_LEFT_OUT))].decode(errors="ignore")
    line_end = kept.rfind("\n")
    if line_end >= len(kept) // 2:  # so that a text with one long line keeps more than its first words
        kept = kept[:line_end]
    return kept.rstrip() + END_LEFT_OUT, True


def cut_start(text: str, cap: int) -> tuple[str, bool]:
    """Return the end of a text, at most `cap` bytes with a note of the cut, and whether it was cut.

    For texts whose newest part is at the end.
    """
    data = text.encode(errors="replace")
    if len(data) <= cap:
        return data.decode(), False
    kept = data[len(data) - max(0, cap - size(START_LEFT_OUT)) :].decode(errors="ignore")
    line_end = kept.find("\n")
    if 0 <= line_end < len(kept) // 2:
        kept = kept[line_end + 1 :]
    return START_LEFT_OUT + kept.lstrip(), True


def fitting(items: Sequence[str], cap: int, *, separator: str = "\n\n") -> int:
    """Return how many of the items, from the first one on, take at most `cap` bytes together with their separators."""
    taken = 0
    for count, item in enumerate(items):
        taken += size(item) + (size(separator) if count else 0)
        if taken > cap:
            return count
    return len(items)
