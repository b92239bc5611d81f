"""Splits Markdown at its headings. Pure. Headings inside code fences are text."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.+)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class Section(NamedTuple):
    """A heading with what follows. `title`: empty for what is above the first heading. `whole`: with the heading."""

    title: str
    body: str
    whole: str


def split(text: str, level: int) -> list[Section]:
    """Return the parts of a text that begin with a heading of this level, or of a higher one, in order.

    The text above the first heading is a part without a title, unless it is blank.
    """
    found: list[tuple[str, list[str]]] = [("", [])]
    fence = ""
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if (mark := _FENCE.match(bare)) is not None and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.fullmatch(bare)
        if heading is not None and len(heading[1]) <= level:
            found.append((heading[2].rstrip(" \t#") or "#", []))
        found[-1][1].append(line)
    return [
        Section(title, "".join(lines[1:] if title else lines).strip(), "".join(lines))
        for title, lines in found
        if title or "".join(lines).strip()
    ]
