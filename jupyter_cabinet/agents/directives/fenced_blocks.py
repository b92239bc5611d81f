"""Finds the fenced blocks in an agent's answer by CommonMark's rules for fences. Pure.

A fence in a quotation, in a list or inside another block is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

INFO_WORDS = ("memory", "cabinet")
IGNORED = "This block was ignored."
MOST_INFO = 60  # characters of a fence's info string, as quoted in messages

_FIRST = tuple((word,) for word in INFO_WORDS)
_SIGNS = re.compile(r"[^A-Za-z]++")

LINE_BREAK = re.compile(r"\r\n|\n|\r")  # not splitlines(), which breaks at U+2028 and form feeds too
_OPENING = re.compile(r"( {0,3})(?:(`{3,}+)([^`]*+)|(~{3,}+)(.*+))", re.DOTALL)
_CLOSING = re.compile(r" {0,3}(`{3,}+|~{3,}+)[ \t]*+")


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A fenced block.

    `info`: the words after the opening fence. `first_line`: number of its first inner line, from 1.
    """

    info: tuple[str, ...]
    first_line: int
    lines: tuple[str, ...]


def blocks_of(text: str) -> list[Block]:
    """Return all fenced blocks of a text, in order. One that is not closed ends with the text."""
    return list(_blocks(LINE_BREAK.split(text)))


def counts(block: Block, *, nonce: str | None = None) -> bool:
    """Return whether the info string is valid: it begins with `memory` or `cabinet`.

    If `nonce` is given, it must be the second and last word.
    """
    return block.info[:1] in _FIRST and (nonce is None or block.info[1:] == (nonce,))


def is_meant(block: Block) -> bool:
    """Return whether the first info word is `memory` or `cabinet`, ignoring case and punctuation, as in "Memory:"."""
    return bool(block.info) and _SIGNS.sub("", block.info[0]).lower() in INFO_WORDS


def why_not(block: Block) -> str:
    """Return a sentence for people that says why a block with directives is ignored."""
    if block.info[:1] in _FIRST:
        return (
            f"{IGNORED} This run has read text from outside, so its opening fence must be followed by `cabinet`, then"
            " the run's nonce, which the instruction contains, and nothing else."
        )
    found = f"begins with `{' '.join(block.info)[:MOST_INFO]}`" if block.info else "is empty"
    return f"{IGNORED} Its info string {found}. Write `memory` or `cabinet` in lowercase after the opening fence."


def _blocks(lines: list[str]) -> Iterator[Block]:
    at = 0
    while at < len(lines):
        opening = _OPENING.fullmatch(lines[at])
        at += 1
        if opening is None:
            continue
        end = _end(lines, at, opening[2] or opening[4])
        inside = tuple(_without_indent(line, len(opening[1])) for line in lines[at:end])
        yield Block(info=tuple((opening[3] or opening[5] or "").split()), first_line=at + 1, lines=inside)
        at = end + 1


def _end(lines: list[str], start: int, fence: str) -> int:
    """Return the index of the closing fence, or the number of lines if the block is not closed."""
    for at in range(start, len(lines)):
        closing = _CLOSING.fullmatch(lines[at])
        if closing is not None and closing[1][0] == fence[0] and len(closing[1]) >= len(fence):
            return at
    return len(lines)


def _without_indent(line: str, width: int) -> str:
    """Return a line of a block without the indentation of the opening fence."""
    return line[min(width, len(line) - len(line.lstrip(" "))) :]
