"""Differences of two texts by lines, and merging of two changes of one text. Pure.

A line ends with its `\\n`; the last one may lack it. Texts are bytes, so that restored texts are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

MOST_LINES = 20_000  # compared one by one; a longer change counts as one
MOST_PAIRS = 2_000_000  # of equal lines: in longer texts, very common lines are not searched for

Lines = Sequence[bytes]


class Hunk(NamedTuple):
    """Lines `old_start` up to `old_end` of one text became `new_start` up to `new_end` in the other.

    Counted from 0, the end excluded.
    """

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class Counts(NamedTuple):
    """Numbers of lines."""

    added: int
    removed: int


def lines_of(text: bytes) -> list[bytes]:
    """Return the lines with their ends."""
    found = [line + b"\n" for line in text.split(b"\n")]
    found[-1] = found[-1][:-1]
    return found if found[-1] else found[:-1]


def hunks_of(old: Lines, new: Lines) -> list[Hunk]:
    """Return the differences, in order; empty if the texts are equal.

    A change of more than 20,000 lines counts as one.
    """
    start, end = 0, 0
    shortest = min(len(old), len(new))
    while start < shortest and old[start] == new[start]:
        start += 1
    while end < shortest - start and old[-1 - end] == new[-1 - end]:
        end += 1
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    return [Hunk(*(number + start for number in hunk)) for hunk in _inner(inner_old, inner_new)]


def _inner(old: Lines, new: Lines) -> Iterator[Hunk]:
    whole = Hunk(0, len(old), 0, len(new))
    if not old or not new or len(old) + len(new) > MOST_LINES:
        if old or new:
            yield whole
        return
    counts, others = Counter(old), Counter(new)
    many = sum(count * others[line] for line, count in counts.items()) > MOST_PAIRS
    for kind, *numbers in SequenceMatcher(None, old, new, autojunk=many).get_opcodes():
        if kind != "equal":
            yield Hunk(*numbers)


def counts_of(hunks: Sequence[Hunk]) -> Counts:
    """Return how many lines they add and remove."""
    return Counts(
        sum(hunk.new_end - hunk.new_start for hunk in hunks), sum(hunk.old_end - hunk.old_start for hunk in hunks)
    )


def joined(base: Lines, ours: Lines, theirs: Lines) -> list[bytes] | None:
    """Merge both changes of `base`; None if they are about the same lines and differ."""
    changes = sorted(
        {(hunk.old_start, hunk.old_end, tuple(ours[hunk.new_start : hunk.new_end])) for hunk in hunks_of(base, ours)}
        | {
            (hunk.old_start, hunk.old_end, tuple(theirs[hunk.new_start : hunk.new_end]))
            for hunk in hunks_of(base, theirs)
        }
    )
    text: list[bytes] = []
    at, last_start = 0, -1
    for start, end, lines in changes:
        if start < at or start == end == last_start:  # two insertions: their order is unknown
            return None
        text += [*base[at:start], *lines]
        at, last_start = end, start
    return [*text, *base[at:]]


def joined_keeping_ours(base: Lines, ours: Lines, theirs: Lines) -> list[bytes]:
    """Merge both changes of `base`.

    If both have changed the same lines, ours are kept; if both have inserted text at the same position, both texts are
    kept, ours first.
    """
    mine = hunks_of(base, ours)
    others = [hunk for hunk in hunks_of(base, theirs) if not any(_collide(hunk, each) for each in mine)]
    changes = sorted(
        [(hunk.old_start, hunk.old_end, 0, tuple(ours[hunk.new_start : hunk.new_end])) for hunk in mine]
        + [(hunk.old_start, hunk.old_end, 1, tuple(theirs[hunk.new_start : hunk.new_end])) for hunk in others]
    )
    text: list[bytes] = []
    at = 0
    last: tuple[bytes, ...] | None = None
    for start, end, _, lines in changes:
        same = start == end == at and lines == last  # both have inserted the same text
        text += [*base[at:start], *(() if same else lines)]
        at, last = end, lines
    text += base[at:]
    return [line if line.endswith(b"\n") else line + b"\n" for line in text[:-1]] + text[-1:]


def _collide(one: Hunk, other: Hunk) -> bool:
    """Return whether both replace a common line, or one inserts text into the lines that the other replaces."""
    if one.old_start == one.old_end and other.old_start == other.old_end:
        return False
    return one.old_start < other.old_end and other.old_start < one.old_end


def ended(lines: Lines) -> list[bytes]:
    """Return the same lines, each with its end: to people, a last line without an end is the same line."""
    return [*lines[:-1], lines[-1].removesuffix(b"\n") + b"\n"] if lines else []


def shown(lines: Sequence[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Return lines with their signs, like `unified`, for people.

    The last line of a text is unchanged if only its end was added or removed, because text after it was added or
    removed.
    """
    found: list[tuple[str, bytes]] = []
    for is_same, run in groupby(lines, lambda line: line[0] == " "):
        changed = list(run)
        has_all_ends = is_same or all(line.endswith(b"\n") for _, line in changed)
        found += changed if has_all_ends else _shown_change(changed)
    return found


def _shown_change(lines: Sequence[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    old, new = (ended([line for sign, line in lines if sign == wanted]) for wanted in "-+")
    at = 0
    for hunk in hunks_of(old, new):
        yield from ((" ", line) for line in old[at : hunk.old_start])
        yield from (("-", line) for line in old[hunk.old_start : hunk.old_end])
        yield from (("+", line) for line in new[hunk.new_start : hunk.new_end])
        at = hunk.old_end
    yield from ((" ", line) for line in old[at:])


class Group(NamedTuple):
    """Hunks that are close to each other, with context lines: each with `" "`, `"-"` or `"+"`."""

    old_start: int  # number of the first line in each text, from 1
    new_start: int
    lines: list[tuple[str, bytes]]
    hunks: list[Hunk]


def unified(old: Lines, new: Lines, context: int = 3) -> list[Group]:
    """Return the differences with so many context lines.

    Hunks that are closer than twice as many lines are one group.
    """
    groups: list[Group] = []
    at = 0  # of the old text: lines before it are in a group, or in none
    for hunk in hunks_of(old, new):
        if not groups or hunk.old_start - at > 2 * context:
            if groups:
                groups[-1].lines.extend((" ", line) for line in old[at : at + context])
            at = max(at, hunk.old_start - context)
            groups.append(Group(at + 1, hunk.new_start - (hunk.old_start - at) + 1, [], []))
        groups[-1].hunks.append(hunk)
        lines = groups[-1].lines
        lines.extend((" ", line) for line in old[at : hunk.old_start])
        lines.extend(("-", line) for line in old[hunk.old_start : hunk.old_end])
        lines.extend(("+", line) for line in new[hunk.new_start : hunk.new_end])
        at = hunk.old_end
    if groups:
        groups[-1].lines.extend((" ", line) for line in old[at : at + context])
    return groups


def without(hunks: Sequence[Hunk], old: Lines, new: Lines) -> list[bytes]:
    """Return the new text with these hunks reverted."""
    text: list[bytes] = []
    at = 0
    for hunk in hunks:
        text += [*new[at : hunk.new_start], *old[hunk.old_start : hunk.old_end]]
        at = hunk.new_end
    return [*text, *new[at:]]
