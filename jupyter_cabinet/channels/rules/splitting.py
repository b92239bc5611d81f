"""Cuts a text into parts that fit into a platform's messages. Pure.

Cuts are made at paragraphs, then lines, then words, then characters. A code block that is cut is closed in one part and
opened again in the next. Joined, the parts are the text, except for those fences.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from ..port import Limits

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_LONGEST_FENCE = 100  # characters of an opening line that is repeated; a longer one is repeated without its language
_ZWJ = "\u200d"
_REGIONAL = range(0x1F1E6, 0x1F200)


class OpenFence(NamedTuple):
    """A code block that is open at some place of a text: the line that opened it, and its marks."""

    line: str
    marks: str


def split(text: str, limits: Limits) -> list[str]:
    """Return the parts, none longer than the limit; no part for a text without visible characters."""
    if not text.strip():
        return []
    parts: list[str] = []
    begin, fence = 0, None
    while begin < len(text):
        opening = f"{fence.line}\n" if fence else ""
        if length(opening + text[begin:], limits) <= limits.length:
            parts.append(opening + text[begin:])
            break
        end, fence = _cut(text, begin, limits, opening)
        closing = _closing(text[begin:end], fence) if fence else ""
        parts.append(opening + text[begin:end] + closing)
        begin = end
    return parts


def length(text: str, limits: Limits) -> int:
    """Return the length of a text as the platform counts it."""
    units = len(text) if limits.unit == "characters" else utf16_length(text)
    return units + sum(text.count(each) for each in limits.doubled)


def utf16_length(text: str) -> int:
    """Return the number of UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def fence_after(text: str) -> OpenFence | None:
    """Return the code block that is open at the end of a text; None if none is."""
    fence: OpenFence | None = None
    for found in _FENCE.finditer(text):
        marks, rest = found[1], found[2].strip()
        if fence is None:
            if marks[0] == "~" or "`" not in rest:
                line = found[0] if len(found[0]) <= _LONGEST_FENCE else marks
                fence = OpenFence(line=line, marks=marks)
        elif marks[0] == fence.marks[0] and len(marks) >= len(fence.marks) and not rest:
            fence = None
    return fence


def _closing(piece: str, fence: OpenFence) -> str:
    return fence.marks if piece.endswith("\n") else f"\n{fence.marks}"


def _cut(text: str, begin: int, limits: Limits, opening: str) -> tuple[int, OpenFence | None]:
    """Return the end of the longest good part that begins there, and the code block that is open at that end."""
    room = limits.length - length(opening, limits)
    if (ahead := fence_after(text[: begin + room])) is not None:
        room -= length(ahead.marks, limits) + 1  # for the closing line, so that the best place is not just too late
    for end in _candidates(text, begin, room, limits):
        fence = fence_after(text[:end])
        closing = _closing(text[begin:end], fence) if fence else ""
        if length(opening + text[begin:end] + closing, limits) <= limits.length:
            return end, fence
    # One grapheme, or the fences around it, is longer than a message: nobody can read that in any case.
    return _fitting(text, begin, max(limits.length - 2, 2), limits, whole=False), None


def _candidates(text: str, begin: int, room: int, limits: Limits) -> Iterator[int]:
    """Yield places to cut, the best ones first, and at the end ever closer to the beginning."""
    end = _fitting(text, begin, room, limits)
    while end > begin:
        for separator in ("\n\n", "\n", " "):
            at = text.rfind(separator, begin + 1, end)
            if at > begin + (end - begin) // 4:
                yield _outside_fence_line(text, begin, at + len(separator))
        yield _outside_fence_line(text, begin, end)
        end = _whole_graphemes(text, begin, end - max(1, (end - begin) // 10))


def _outside_fence_line(text: str, begin: int, end: int) -> int:
    """Return the place, or the beginning of its line if a cut there would divide a line that opens or closes a code
    block.
    """
    line = text.rfind("\n", 0, end) + 1
    divided = _FENCE.match(text, line)
    return line if divided and begin < line < end < divided.end() else end


def _fitting(text: str, begin: int, room: int, limits: Limits, *, whole: bool = True) -> int:
    """Return the last place whose text from `begin` on fits into `room`. `whole`: without cutting a grapheme."""
    end = min(len(text), begin + max(0, room))
    if limits.unit == "utf-16" or limits.doubled:
        used = 0
        for at in range(begin, end):
            used += _size(text[at], limits)
            if used > room:
                end = at
                break
    return _whole_graphemes(text, begin, end) if whole else end


def _size(character: str, limits: Limits) -> int:
    is_pair = limits.unit == "utf-16" and ord(character) > 0xFFFF
    return 1 + is_pair + (character in limits.doubled)


def _whole_graphemes(text: str, begin: int, end: int) -> int:
    """Return the last place at or before `end` that does not cut a grapheme; `begin` if there is none after it."""
    while begin < end < len(text) and _is_joined(text, end):
        end -= 1
    return max(begin, end)


def graphemes(text: str) -> Iterator[str]:
    """Yield what a reader sees as one character, each with all that belongs to it."""
    begin = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not _is_joined(text, at):
            yield text[begin:at]
            begin = at


def _is_joined(text: str, at: int) -> bool:
    """Return whether the characters before and after a place belong to one grapheme."""
    before, after = text[at - 1], text[at]
    if before == "\r" and after == "\n":
        return True
    if _ZWJ in (before, after) or unicodedata.category(after) in ("Mn", "Me", "Mc"):
        return True
    if 0x1F3FB <= ord(after) <= 0x1F3FF or 0xE0020 <= ord(after) <= 0xE007F:  # skin tones, tags of flags
        return True
    if ord(after) in _REGIONAL and ord(before) in _REGIONAL:  # flags are pairs
        begin = at
        while begin > 0 and ord(text[begin - 1]) in _REGIONAL:
            begin -= 1
        return (at - begin) % 2 == 1
    return _is_hangul_pair(ord(before), ord(after))


def _is_hangul_pair(before: int, after: int) -> bool:
    """Return whether two letters of Hangul are written as one syllable."""
    leading = 0x1100 <= before <= 0x115F
    vowel = 0x1160 <= before <= 0x11A7 or (0xAC00 <= before <= 0xD7A3 and (before - 0xAC00) % 28 == 0)
    trailing = 0x11A8 <= before <= 0x11FF or 0xAC00 <= before <= 0xD7A3
    if leading and (0x1100 <= after <= 0x11A7 or 0xAC00 <= after <= 0xD7A3):
        return True
    return (vowel and 0x1160 <= after <= 0x11FF) or (trailing and 0x11A8 <= after <= 0x11FF)
