"""Shows a text the way Discord's clients show it, as far as a text can be hidden or changed by its markup.

Made from https://docs.discord.com/developers/reference#message-formatting and Discord's guides "Markdown Text 101". It
shares nothing with the code that writes such texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Literal, NamedTuple

# link: it shows its own address. masked: it shows something else. marked: shown in another way. hidden: until a click
Kind = Literal["text", "code", "link", "masked", "mention", "emoji", "marked", "hidden"]


class Piece(NamedTuple):
    """A part of a message as people see it."""

    text: str
    kind: Kind = "text"


Show = Callable[[re.Match[str]], Iterator[Piece]]

SHRUG = r"¯\_(ツ)_/¯"  # shown as it is, although it has an escape


def shown(content: str) -> list[Piece]:
    """Return what people see of a message. Pieces of the same kind that follow each other are one, except code."""
    return list(_shown(content))


@cache  # whoever waits for a message asks again and again
def _shown(content: str) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for piece in _pieces(content, at_line_start=True):
        if pieces and pieces[-1].kind == piece.kind != "code":
            pieces[-1] = Piece(pieces[-1].text + piece.text, piece.kind)
        else:
            pieces.append(piece)
    return tuple(pieces)


def _pieces(content: str, *, at_line_start: bool = False) -> Iterator[Piece]:
    at = 0
    while at < len(content):
        found, show = _rule(content, at, at_line_start)
        if found is None:
            at_line_start = content[at] == "\n" or (at_line_start and content[at] == " ")
            yield Piece(content[at])
            at += 1
        else:
            yield from show(found)
            at, at_line_start = found.end(), found[0].endswith("\n")


def _rule(content: str, at: int, at_line_start: bool) -> tuple[re.Match[str] | None, Show]:
    for pattern, show in [*(_OF_LINES if at_line_start else ()), *_INLINE]:
        if (found := pattern.match(content, at)) is not None:
            return found, show
    return None, _as_it_is


def _as_it_is(found: re.Match[str]) -> Iterator[Piece]:
    yield Piece(found[0])


def _escaped(found: re.Match[str]) -> Iterator[Piece]:
    yield Piece(found[1])


def _code_block(found: re.Match[str]) -> Iterator[Piece]:
    yield Piece(found["code"].strip("\n"), "code")


def _as(kind: Kind) -> Show:
    def show(found: re.Match[str]) -> Iterator[Piece]:
        yield Piece("".join(piece.text for piece in _pieces(found[found.lastindex or 0])), kind)

    return show


def _plainly(kind: Kind) -> Show:
    def show(found: re.Match[str]) -> Iterator[Piece]:
        yield Piece(found[found.lastindex or 0], kind)

    return show


def _rules(*rules: tuple[str, Show]) -> list[tuple[re.Pattern[str], Show]]:
    return [(re.compile(pattern, re.DOTALL), show) for pattern, show in rules]


_OF_LINES = _rules(
    (r">>> (.*)", _as("marked")),
    (r"> ([^\n]*)", _as("marked")),
    (r"#{1,3}\s+([^\n]*)", _as("marked")),
    (r"-# +([^\n]*)", _as("marked")),
    (r"(?:[*-]|\d+\.) +([^\n]*)", _as("marked")),
)
_INLINE = _rules(
    (re.escape(SHRUG), _as_it_is),
    (r"\\([^A-Za-z0-9\s])", _escaped),
    (r"```(?:[\w+.-]*\n)?(?P<code>.*?[^\n].*?)```", _code_block),
    (r"(`+)(.+?)(?<!`)\1(?!`)", _plainly("marked")),
    (r"\*\*((?:\\.|[^\\])+?)\*\*(?!\*)", _as("marked")),
    (r"__((?:\\.|[^\\])+?)__(?!_)", _as("marked")),
    (r"\*(?!\s)((?:\\.|\*\*|[^*\\])+?)(?<!\s) {0,2}\*(?!\*)", _as("marked")),
    (r"_((?:\\.|__|[^_\\])+?)_(?![A-Za-z0-9_])", _as("marked")),
    (r"~~(.+?)~~(?!_)", _as("marked")),
    (r"\|\|(.+?)\|\|", _as("hidden")),
    (r"<(?:@[!&]?|#)[0-9]+>|@everyone|@here|</[^>]+:[0-9]+>|<id:[^>]+>", _plainly("mention")),
    (r"<a?:\w+:[0-9]+>|:[\w+-]+:", _plainly("emoji")),
    (r"<t:-?[0-9]+(?::[tTdDfFRsS])?>", _plainly("marked")),
    (r"\[((?:\[[^\]]*\]|[^\[\]])+)\]\(\s*<?(?:[^\s\\]|\\[^\n])+?>?(?:\s+['\"].*?['\"])?\s*\)", _as("masked")),
    (r"<([^: >]+:/[^ >]+)>", _plainly("link")),
    (r"(?:https?|steam|discord)://[^\s<]+[^<.,:;\"'\]\s]", _plainly("link")),
)
