"""Makes text of agents, files and strangers safe: it cannot control a terminal or hide anything from its reader.

Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})  # categories: control, direction, surrogates, private, breaks
# Characters of other categories that nobody sees, or that look like a space: fillers, joiners, blank Braille, variation
# selectors, which can hide a whole text. As in `labextension/src/shared/untrusted.ts`.
_INVISIBLE_RANGES = (
    (0x34F, 0x34F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0E),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
)
INVISIBLE = frozenset(chr(number) for first, last in _INVISIBLE_RANGES for number in range(first, last + 1))
GAP = "  "
_ORDINARY = re.compile(r"[\n\r\t\x20-\x7e]+")  # the others are looked up
_PIECE = 256 * 1024  # characters that are counted at once: no other thread works meanwhile


def plain(text: str) -> str:
    r"""Return the text with control and invisible characters written as `\x1b` or `\u{200b}`.

    Line feeds and tabs are kept. A `\r\n` becomes a line feed; a single `\r` is written as `\x0d`.
    """
    text = text.replace("\r\n", "\n")
    escaped = {ord(each): _escape(each) for each in set(text) if each not in "\n\t" and _is_unseen(each)}
    return text.translate(escaped) if escaped else text


def hidden_characters(text: str) -> int:
    """Return how many characters of a text cannot be seen, apart from line breaks and tabs."""
    counts: Counter[str] = Counter()
    for start in range(0, len(text), _PIECE):
        counts.update(_ORDINARY.sub("", text[start : start + _PIECE]))
    return sum(count for character, count in counts.items() if _is_unseen(character))


def one_line(text: str, *, most: int = 0) -> str:
    """Return the text as `plain` does, in one line: each run of white space becomes one space, none is at the ends.

    `most`: the greatest length in characters; a longer line is cut and ends with "…". 0: no limit.
    """
    line = " ".join(plain(text).split())
    return line if not most or len(line) <= most else f"{line[: most - 1]}…"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield lines with aligned columns, the headings first. A column that is empty in all rows is left out.

    Each cell is made safe by `one_line`; the headings are used as they are. Without rows, yields one empty line. Each
    row needs a cell for each heading.
    """
    cells = [[one_line(cell) for cell in row] for row in rows]
    kept = [at for at in range(len(headings)) if any(row[at] for row in cells)]
    shown = [[row[at] for at in kept] for row in [list(headings), *cells]]
    widths = [max(_width(row[column]) for row in shown) for column in range(len(kept))]
    for row in shown:
        yield GAP.join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in UNSEEN or character in INVISIBLE


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{{{number:x}}}"


def _width(text: str) -> int:
    """Return the width in terminal cells."""
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in text)
    joined = sum(bool(unicodedata.combining(each)) or each == "\ufe0f" for each in text)
    return len(text) + wide - joined
