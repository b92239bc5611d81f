"""Compares the words of a search with a text of an agent's memory. Pure.

A word is found wherever it occurs, in upper or lower case, also within a longer word. The index stores texts as
`folded`, so a change of this function needs a new `LAYOUT` in `memory_index.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

MOST_WORDS = 20
EXCERPT_CHARACTERS = 200
BEFORE_HIT_CHARACTERS = 60

Span = tuple[int, int]  # characters from the first one up to, but not including, the second one


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """The text around the first hit, in one line. `at`: the hit's first character in the passage."""

    text: str
    marks: tuple[Span, ...]
    at: int


def words_of(query: str) -> tuple[str, ...]:
    """Return the words that must occur, folded, each once; at most 20, and none for an empty query."""
    return tuple(dict.fromkeys(folded(query).split()))[:MOST_WORDS]


def folded(text: str) -> str:
    """Return a text as it is compared: without a difference of case, and without characters that SQLite cannot hold.

    It may be longer than the text.
    """
    return text.encode(errors="replace").decode().replace("\0", " ").casefold()


def marks(text: str, words: Sequence[str]) -> tuple[Span, ...]:
    """Return where the words occur in a text, in order.

    Hits that touch or overlap are one span. `words`: as `words_of`.
    """
    compared = folded(text)
    origins: Sequence[int] = range(len(text) + 1)
    if len(compared) != len(text):  # some characters are longer when folded
        origins = [at for at, each in enumerate(text) for _ in folded(each)] + [len(text)]
    found: list[Span] = []
    for start, end in sorted(span for word in words for span in _occurrences(compared, word)):
        first, last = origins[start], origins[end - 1] + 1
        if found and first <= found[-1][1]:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return tuple(found)


def excerpt(text: str, words: Sequence[str]) -> Excerpt:
    """Return the text around the first hit of any word; without a hit, the beginning of the text.

    Positions in `marks` count the characters of the excerpt. It begins within the line of the hit, because the line
    before is often the heading of an entry.
    """
    first, end = next(iter(marks(text, words)), (0, 0))
    line_start = text.rfind("\n", 0, first) + 1
    start = max(line_start, first - BEFORE_HIT_CHARACTERS)
    # adjacent hits are one mark, which may be long
    stop = max(min(end, first + EXCERPT_CHARACTERS), start + EXCERPT_CHARACTERS)
    line = " ".join(text[start:stop].split())
    shown = f"{'…' if text[line_start:start].strip() else ''}{line}{'…' if text[stop:].strip() else ''}"
    return Excerpt(text=shown, marks=marks(shown, words), at=first)


def _occurrences(text: str, word: str) -> Iterator[Span]:
    at = text.find(word)
    while at >= 0:
        yield at, at + len(word)
        at = text.find(word, at + 1)
