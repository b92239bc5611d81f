"""Decides whether a soul that an agent proposes may be shown to a person for acceptance. Pure.

The section *Core Principles* belongs to the person. It is found generously: a line that reads like that title counts,
in whatever form. It is compared literally: its lines must stay as they are, and nothing above it may hide them.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from ...core.plain_text import hidden_characters
from ..directives.fenced_blocks import LINE_BREAK, blocks_of
from ..memory.entries import LEFT_OUT
from ..prompts.heartbeat_prompt import CAPS
from ..prompts.text_trimming import size

MAX_SOUL_BYTES = CAPS["Character"]  # so that the agent receives all of it
TITLE = "Core Principles"

EMPTY = "The proposed soul is empty."
TOO_LONG = f"The proposed soul is larger than {MAX_SOUL_BYTES // 1024} KiB."
HIDDEN = "The proposed soul has control or invisible characters."
FROM_OUTSIDE = "The proposed soul has marks of text from outside."
SAME = "The proposed soul is the same as the present one."
HTML = "The proposed soul adds, removes or moves HTML. A reflection may not do this."
UNCLEAR = f"The present soul has the title {TITLE} more than once. Give it one such section, then try again."
ADDED = f"The proposed soul adds a section {TITLE}. Only a person may do this."
DROPPED = f"The proposed soul leaves out the section {TITLE}."
DOUBLED = f"The proposed soul has the title {TITLE} more than once."
CHANGED = f"The proposed soul changes the section {TITLE}."
COVERED = f"The proposed soul changes what comes before the section {TITLE} so that the section may read differently."
MOSTLY_REMOVED = "The proposed soul removes more than half of the present one."

_LETTERS = ("coreprincipies", "coreprincipie")  # as `_letters` returns them: l reads like i
_HTML = re.compile(r"<[A-Za-z/!?]|-->|\?>|\]\]>|[\w\"'/]>\s*$")  # beginnings and ends
_TAG = re.compile(r"<[^<>]*+>")
_LINK_TARGET = re.compile(r"\](?:\([^()]*+\)|\[[^\[\]]*+\])")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r"[ \t>]*(=+|-+)[ \t]*")
_FENCE = re.compile(r"[\s>*+\-0-9.)]*(?:```|~~~)")
_BEFORE_TITLE = " \t>-+0123456789.)"  # marks of quotations and lists
_TITLE_STARTS = ("#", "<", "**", "__")
# Letters of other alphabets that look like those of the title.
_LOOKALIKES = str.maketrans(
    {"с": "c", "ϲ": "c", "о": "o", "ο": "o", "ѕ": "s", "е": "e", "р": "p", "ρ": "p", "і": "i", "ι": "i", "ı": "i"}
    | {"ӏ": "i", "l": "i", "ʟ": "i", "г": "r", "ո": "n", "п": "n", "Ꮲ": "p", "ꓑ": "p", "ⲥ": "c", "σ": "c", "ꓚ": "c"}
    | {"ø": "o", "ᴏ": "o", "ⲟ": "o", "℮": "e", "ꭼ": "e"}
)
_DIGITS = str.maketrans({"0": "o", "1": "i", "|": "i", "3": "e", "5": "s"})  # where they are among letters
_AMONG_LETTERS = re.compile(r"(?<=[^\W\d_])[0135|](?=[^\W\d_])")


class _Soul(msgspec.Struct, frozen=True):
    """A soul divided at its section: the lines before it, its own, and those after it."""

    before: Sequence[str]
    section: Sequence[str]
    after: Sequence[str]


def refusal(present: str, proposed: str) -> str | None:
    """Return why a proposed soul must be refused, as a sentence; None if a person may decide about it.

    `present`: the soul as it is; empty if the agent has none.
    """
    return _of_text(present, proposed) or _of_section(lines_of(present), lines_of(proposed))


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without their ends."""
    return LINE_BREAK.split(text)


def titles(lines: Sequence[str]) -> list[int]:
    """Return the indices of the lines at which the title *Core Principles* begins, in whatever form."""
    letters = [_letters(line) for line in lines]
    return [at for at in range(len(lines)) if _is_title(lines, letters, at)]


def _of_text(present: str, proposed: str) -> str | None:
    if not any(each.isalnum() for each in proposed):
        return EMPTY
    if size(proposed) > MAX_SOUL_BYTES:
        return TOO_LONG
    if hidden_characters(proposed):
        return HIDDEN
    folded = unicodedata.normalize("NFKC", proposed).casefold()
    if "foreign-text" in folded or " tainted -->" in folded or LEFT_OUT.casefold() in folded:
        return FROM_OUTSIDE
    return SAME if lines_of(proposed) == lines_of(present) else None


def _of_section(present: list[str], proposed: list[str]) -> str | None:
    mine, theirs = titles(present), titles(proposed)
    if len(mine) > 1:
        return UNCLEAR
    if len(theirs) != len(mine):
        return DOUBLED if len(theirs) > 1 else DROPPED if mine else ADDED
    old, new = _divided(present, mine), _divided(proposed, theirs)
    if new.section != old.section:
        return CHANGED
    if mine and _is_covered(old.before, new.before):
        return COVERED
    if mine and new.section[0][:1].isspace() and new.before != old.before:
        return COVERED  # an indented title can belong to a list above it
    if _matching(_HTML, old.before) != _matching(_HTML, new.before):
        return HTML
    if _matching(_HTML, old.after) != _matching(_HTML, new.after):
        return HTML
    return MOSTLY_REMOVED if _is_mostly_removed(old, new) else None


def _is_title(lines: Sequence[str], letters: Sequence[str], at: int) -> bool:
    found = letters[at]
    if found in _LETTERS or (_is_heading(lines, at) and _LETTERS[1] in found):
        return True
    # A heading can go over several lines, such as <h2>Core⏎Principles</h2>.
    for following in letters[at + 1 :] if found and _LETTERS[0].startswith(found) else ():
        found += following
        if not _LETTERS[0].startswith(found):
            return False
        if found in _LETTERS:
            return True
    return False


def _is_heading(lines: Sequence[str], at: int) -> bool:
    if lines[at].lstrip(_BEFORE_TITLE).startswith(_TITLE_STARTS):
        return True
    return at + 1 < len(lines) and _UNDERLINE.fullmatch(lines[at + 1]) is not None


def _letters(line: str) -> str:
    """Return the letters that a person reads in a line, in lowercase and without accents."""
    shown = _TAG.sub("", html.unescape(_LINK_TARGET.sub("", line)))
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", shown).casefold())
    folded = _AMONG_LETTERS.sub(lambda found: found[0].translate(_DIGITS), folded)
    return "".join(each for each in folded.translate(_LOOKALIKES) if each.isalpha())


def _divided(lines: list[str], starts: list[int]) -> _Soul:
    if not starts:
        return _Soul(lines, [], [])
    start, end = starts[0], _end_of(lines, starts[0])
    section = lines[start:end]
    while section and not section[-1].strip():
        section.pop()
    return _Soul(lines[:start], section, lines[end:])


def _end_of(lines: list[str], start: int) -> int:
    """Return the index of the line after the section. If that is unclear, the section goes to the end of the soul."""
    fenced = _fenced(lines)
    level = _level(lines, start, fenced)
    if level is None:
        return len(lines)
    for at in range(start + 1, len(lines)):
        if _HTML.search(lines[at]):
            break  # a heading inside HTML may be none
        own = _level(lines, at, fenced)
        if own is not None and own <= level:
            return at
    return len(lines)


def _level(lines: Sequence[str], at: int, fenced: frozenset[int]) -> int | None:
    """Return the level of a heading that every reader of Markdown shows as one; None for any other line."""
    if at in fenced:
        return None
    atx = _ATX.match(lines[at])
    if atx is not None:
        return len(atx[1])
    follows_text = at > 0 and bool(lines[at - 1].strip())
    if follows_text or not lines[at][:1].isalpha() or at + 1 == len(lines):
        return None
    underline = _UNDERLINE.fullmatch(lines[at + 1])
    return None if underline is None else 1 if "=" in underline[1] else 2


def _fenced(lines: Sequence[str]) -> frozenset[int]:
    """Return the indices of the lines inside fenced blocks."""
    blocks = blocks_of("\n".join(lines))
    return frozenset(
        at for block in blocks for at in range(block.first_line - 1, block.first_line - 1 + len(block.lines))
    )


def _is_covered(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether a fence or a paragraph above the section has changed, which could swallow its title."""
    if _matching(_FENCE, old) != _matching(_FENCE, new):
        return True
    return bool(new) and bool(new[-1].strip()) and new[-1:] != old[-1:]


def _matching(pattern: re.Pattern[str], lines: Sequence[str]) -> list[str]:
    found = pattern.match if pattern is _FENCE else pattern.search
    return [line for line in lines if found(line)]


def _is_mostly_removed(old: _Soul, new: _Soul) -> bool:
    """Return whether more than half of the words outside the section are gone, measured by their length."""
    before, after = Counter(_words(old)), Counter(_words(new))
    kept = sum(len(word) * count for word, count in (before & after).items())
    return 2 * kept < sum(len(word) * count for word, count in before.items())


def _words(soul: _Soul) -> Iterator[str]:
    return (word for line in (*soul.before, *soul.after) for word in line.split())
