"""Both changes of an open text in one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.documents.text_merge import KnownText

TEXTS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8).map("\n".join)


def merged(base: str, ours: str, theirs: str) -> str:
    known = KnownText()
    known.note(base)
    return known.merged(ours, theirs)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "found"),
    [
        ("a\nb\n", "a\nb\nmine\n", "agent\nb\n", "agent\nb\nmine\n"),
        ("a\n", "a\nmine\n", "a\nagent\n", "a\nmine\nagent\n"),  # at the same place: nothing is lost
        ("a\nb\n", "mine\nb\n", "agent\nb\n", "mine\nb\n"),  # the same line: a person's words stay
        ("a\nb\nc\n", "mine\nb\nc\n", "agent\nb\nagent\n", "mine\nb\nagent\n"),
        ("a\nb\n", "a\nnew\nb\n", "a\nnew\nb\n", "a\nnew\nb\n"),
        ("a\nb\n", "a\nb\n", "b\n", "b\n"),
        ("a\nb\nc\n", "a\nb\nmine\nc\n", "a\nc\n", "a\nmine\nc\n"),
        ("", "mine\n", "", "mine\n"),
        ("a\nb\nc\n", "a\nx\nb\nc\n", "a\nc\n", "a\nx\nc\n"),
    ],
)
def test_both_changes_are_in_it(base: str, ours: str, theirs: str, found: str) -> None:
    assert merged(base, ours, theirs) == found


def test_what_was_written_is_the_next_state() -> None:
    known = KnownText()
    assert known.merged("mine\n", "agent\n") == "agent\n"  # nobody knows what was before
    known.note("a\n")
    both = known.merged("a\nmine\n", "agent\na\n")
    assert both == "agent\na\nmine\n"
    assert known.merged(both, "a\n") == "a\nmine\n"  # the agent has taken its line back


@given(TEXTS, TEXTS)
def test_where_one_has_changed_nothing_the_other_counts(base: str, changed: str) -> None:
    assert merged(base, base, changed) == changed
    assert merged(base, changed, base) == changed
    assert merged(base, changed, changed) == changed


@given(TEXTS, TEXTS, TEXTS)
def test_no_line_of_a_person_is_lost(base: str, ours: str, theirs: str) -> None:
    mine = [f"mine {line}" for line in ours.split("\n")]
    found = merged(base, "\n".join(mine), theirs).split("\n")
    assert all(line in found for line in mine)
