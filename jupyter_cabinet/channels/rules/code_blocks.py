"""Finds the code blocks of a text that is written in Markdown. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_OPENING = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]{0,40})([^\n`]*)")


class Segment(NamedTuple):
    """A part of a text, without fences. `language`: of code, perhaps empty."""

    text: str
    is_code: bool = False
    language: str = ""


def segments(text: str) -> Iterator[Segment]:
    """Yield the parts of a text: code blocks, and what is between them. A block without visible characters is left out.

    Joined with line breaks, they are the text without its fences. Words behind the language of a fence are the first
    line of its block, and the language of an empty block is a text, so that nothing is hidden.
    """
    lines: list[str] = []
    marks, language = "", ""
    for line in text.split("\n"):
        opening = _OPENING.fullmatch(line)
        if not marks and opening:
            yield from _plain(lines)
            marks, language = opening[1], opening[2]
            lines = [opening[3].strip()] if opening[3].strip() else []
        elif marks and _closes(line, marks):
            yield from _code(lines, language)
            marks, lines = "", []
        else:
            lines.append(line)
    yield from _code(lines, language) if marks else _plain(lines)


def _plain(lines: list[str]) -> Iterator[Segment]:
    if lines:
        yield Segment("\n".join(lines))


def _code(lines: list[str], language: str) -> Iterator[Segment]:
    content = "\n".join(lines)
    if content.strip():
        yield Segment(content, is_code=True, language=language)
    elif language:
        yield Segment(language)


def _closes(line: str, marks: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(marks) and set(stripped) == {marks[0]} and not line.startswith("    ")
