"""Divides a memory file into passages. Pure; `memory_index.py` stores them.

A passage belongs to one entry (`entries.py`) or to the text above the first one, so no passage mixes tainted text with
other text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from .entries import LEFT_OUT, read
from .word_matching import Span

PASSAGE_CHARACTERS = 1600  # about 400 tokens
OVERLAP_CHARACTERS = 320  # about 80 tokens; longer than any word that can be searched for

_PARAGRAPH_END = re.compile(r"\n[ \t\r]*\n")
_SPACE = re.compile(r"\s")


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a file. `start`: its first character. Lines are counted from 1 and end with a line feed."""

    start: int
    first_line: int
    last_line: int
    text: str
    tainted: bool = False


def passages(text: str) -> Iterator[Passage]:
    """Yield the passages of a file in order. They cover all of it; neighbours within an entry overlap."""
    memory, start = read(text), 0
    counted, line = 0, 1  # the line of the character `counted`
    for part, tainted in [(memory.preamble, False), *((each.text, each.tainted) for each in memory.sections)]:
        for first, end in _spans(text, start, start + len(part)):
            line += text.count("\n", counted, first) if first >= counted else -text.count("\n", first, counted)
            counted = first
            yield Passage(
                start=first,
                first_line=line,
                last_line=line + text.count("\n", first, end - 1),
                text=text[first:end],
                tainted=tainted,
            )
        start += len(part)


def lines_between(text: str, offset: int, limit: int, *, with_tainted: bool) -> tuple[str, int, int]:
    """Return some lines of a file, the last line among them, and how many lines the file has.

    `offset`: the first line, from 1. Without tainted text, a sentence replaces it; the other lines keep their numbers.
    If no line is returned, the second value is the line before `offset`.
    """
    memory = read(text)
    lines: list[str] = memory.preamble.split("\n")
    for section in memory.sections:
        heading, *body = section.text.split("\n")
        if section.tainted and not with_tainted and any(line.strip() for line in body):
            body = [LEFT_OUT, *[""] * (len(body) - 1)]
        lines[-1:] = [heading, *body]  # each section begins at the beginning of a line
    if not text or text.endswith("\n"):
        lines.pop()  # what follows the last line feed is no line
    wanted = lines[offset - 1 : offset - 1 + limit]
    return "\n".join(wanted), offset - 1 + len(wanted), len(lines)


def _spans(text: str, start: int, end: int) -> Iterator[Span]:
    while end - start > PASSAGE_CHARACTERS:
        cut = _cut(text, start + PASSAGE_CHARACTERS // 2, start + PASSAGE_CHARACTERS)
        yield start, cut
        start = _beginning(text, cut - OVERLAP_CHARACTERS, cut)
    if start < end:
        yield start, end


def _cut(text: str, low: int, high: int) -> int:
    """Return where a passage ends: after the last paragraph, else after the last line, else after the last word."""
    for border in (_PARAGRAPH_END, re.compile("\n"), _SPACE):
        last = max((found.end() for found in border.finditer(text, low, high)), default=0)
        if last:
            return last
    return high


def _beginning(text: str, low: int, high: int) -> int:
    """Return where the next passage begins: with a line or a word if possible, and before `high`."""
    for border in ("\n", " "):
        at = text.find(border, low, high - 1) + 1
        if at:
            return at
    return low
