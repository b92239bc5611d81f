"""Differences by lines: what is found makes the other text, and two changes of one text are joined or refused."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.changes.comparison import lines
from jupyter_cabinet.changes.comparison.lines import counts_of, ended, hunks_of, joined, lines_of, shown, unified

TEXTS = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"d"]), max_size=12)


@given(st.binary(max_size=60))
def test_lines_are_the_text(text: bytes) -> None:
    found = lines_of(text)
    assert b"".join(found) == text
    assert all(line.count(b"\n") <= 1 and line for line in found)


@given(TEXTS, TEXTS)
def test_hunks_make_the_other_text(old: list[bytes], new: list[bytes]) -> None:
    hunks = hunks_of(old, new)
    made, at = [], 0
    for hunk in hunks:
        made += [*old[at : hunk.old_start], *new[hunk.new_start : hunk.new_end]]
        at = hunk.old_end
    assert [*made, *old[at:]] == new
    counts = counts_of(hunks)
    assert len(old) + counts.added - counts.removed == len(new)
    assert bool(hunks) == (old != new)


@given(TEXTS, TEXTS)
def test_what_is_shown_is_both_texts_with_all_line_ends(old: list[bytes], new: list[bytes]) -> None:
    old, new = lines_of(b"".join(old)), lines_of(b"".join(new))
    for old_start, new_start, group, _ in unified(old, new):
        found = shown(group)
        before = ended([line for sign, line in found if sign in " -"])
        after = ended([line for sign, line in found if sign in " +"])
        assert before == ended(old)[old_start - 1 :][: len(before)]
        assert after == ended(new)[new_start - 1 :][: len(after)]
        assert len(found) <= len(group)


def test_a_very_long_change_is_one_and_lines_that_stand_everywhere_cost_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old, new = [b"same\n"] * 3000, [b"same\n"] * 2999 + [b"x\n"]
    assert counts_of(hunks_of([b"0\n", *old], [b"1\n", *new])) != (0, 0)
    monkeypatch.setattr(lines, "MOST_LINES", 4)
    assert hunks_of([b"0\n", b"1\n", b"2\n"], [b"3\n", b"1\n", b"4\n"]) == [(0, 3, 0, 3)]


@given(TEXTS, TEXTS)
def test_a_change_of_one_side_alone_is_that_side(base: list[bytes], other: list[bytes]) -> None:
    assert joined(base, base, other) == other
    assert joined(base, other, base) == other
    assert joined(base, other, other) == other


@given(TEXTS, TEXTS, TEXTS)
def test_what_is_joined_does_not_depend_on_the_side(base: list[bytes], ours: list[bytes], theirs: list[bytes]) -> None:
    assert joined(base, ours, theirs) == joined(base, theirs, ours)


@given(TEXTS)
def test_an_edit_elsewhere_stays_when_a_change_is_taken_back(before: list[bytes]) -> None:
    fence = [b"-- fence --\n"]
    after = [b"agent\n", *before]
    edited = [*after, *fence, b"person\n"]
    assert joined([*after, *fence], edited, [*before, *fence]) == [*before, *fence, b"person\n"]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "found"),
    [
        ("abc", "aXc", "aYc", None),
        ("abc", "aXbc", "aYbc", None),
        ("abc", "Xbc", "abY", "XbY"),
        ("abc", "ac", "aYc", None),
        ("abcd", "aXcd", "abYd", "aXYd"),
        ("abc", "aXc", "abZc", "aXZc"),
        ("abc", "aXbc", "aYc", "aXYc"),
        ("abc", "aXbc", "ac", "aXc"),
    ],
)
def test_lines_that_both_have_changed_are_refused(base: str, ours: str, theirs: str, found: str | None) -> None:
    texts = [[letter.encode() + b"\n" for letter in text] for text in (base, ours, theirs)]
    made = joined(*texts)
    assert (None if made is None else b"".join(made).replace(b"\n", b"").decode()) == found


@given(TEXTS, TEXTS, st.integers(0, 3))
def test_groups_are_those_of_the_standard_library(old: list[bytes], new: list[bytes], context: int) -> None:
    ends = [[line.rstrip(b"\n").decode() for line in text] for text in (old, new)]
    found = unified(old, new, context)
    for old_start, new_start, group, _ in found:
        before = [line for sign, line in group if sign in " -"]
        after = [line for sign, line in group if sign in " +"]
        assert before == old[old_start - 1 :][: len(before)]
        assert after == new[new_start - 1 :][: len(after)]
    removed = [line for _, _, group, _ in found for sign, line in group if sign == "-"]
    added = [line for _, _, group, _ in found for sign, line in group if sign == "+"]
    assert len(added) - len(removed) == len(new) - len(old)
    expected = len(list(difflib.SequenceMatcher(None, *ends, autojunk=False).get_grouped_opcodes(context)))
    assert bool(found) == (old != new) and (expected > 0 or old == new or ends[0] == ends[1])


def test_two_changes_far_apart_are_two_groups() -> None:
    old = [b"%d\n" % number for number in range(30)]
    new = [*old[:2], b"x\n", *old[3:20], b"y\n", *old[20:]]
    groups = unified(old, new)
    assert [(start, other, len(group)) for start, other, group, _ in groups] == [(1, 1, 7), (18, 18, 7)]
