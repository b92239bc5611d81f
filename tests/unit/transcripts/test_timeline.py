"""Where an entry is in a timeline: on its own branch, as part of its call, beside it if it is not shown."""

from __future__ import annotations

from typing import Any

from jupyter_cabinet.transcripts.reading.entry_reader import IndexedEntry
from jupyter_cabinet.transcripts.timeline.outline import Outline, entry_of, needed_in_order, outline_of, place_of


def row(place: int, id: str, kind: str = "assistant", parent: str | None = None, **more: Any) -> IndexedEntry:
    values = {"at": None, "side": None, "call_id": None, "flags": 0, **more}
    return IndexedEntry(number=place, place=place, id=id, kind=kind, position=place, parent=parent, **values)


LINEAR = (
    row(0, "asked", "user"),
    row(1, "title", "other"),
    row(2, "called", "tool_call", call_id="c"),
    row(3, "answered", "tool_result", call_id="c"),
    row(4, "alone", "tool_result", call_id="lost"),
    row(5, "said"),
)
TREE = (
    row(0, "root", "user", parent=""),
    row(1, "left", parent="root"),
    row(2, "left end", parent="left"),
    row(3, "right", parent="root"),
    row(4, "right end", parent="right"),
)


def ids(outline: Outline) -> list[str]:
    return [each.id for each in outline.shown]


def test_an_entry_is_found_among_the_shown_ones() -> None:
    outline = outline_of(LINEAR)
    assert ids(outline) == ["asked", "called", "alone", "said"]
    assert [place_of(outline, LINEAR, id) for id in ids(outline)] == [0, 1, 2, 3]
    assert place_of(outline, LINEAR, "nothing") is None


def test_a_result_is_where_its_call_is_and_a_hidden_entry_where_the_one_before_it_is() -> None:
    outline = outline_of(LINEAR)
    assert place_of(outline, LINEAR, "answered") == 1
    assert place_of(outline, LINEAR, "title") == 0


def test_any_entry_of_a_branch_names_it_and_a_common_one_the_newest() -> None:
    assert ids(outline_of(TREE)) == ["root", "right", "right end"]
    for id in ("left", "left end"):
        left = outline_of(TREE, branch=id)
        assert (ids(left), left.branch) == (["root", "left", "left end"], "left end")
        assert place_of(left, TREE, "right") == 2
    for id in ("root", "right end", "nothing"):
        newest = outline_of(TREE, branch=id)
        assert (ids(newest), newest.branch) == (["root", "right", "right end"], "")
    assert outline_of(LINEAR, branch="said").branch == ""


def test_an_entry_that_its_cli_has_removed_says_so() -> None:
    shown = entry_of(outline_of(LINEAR), 0, {}, {}, "pi")
    assert (shown.id, shown.place, shown.text) == ("asked", 0, "This entry is no longer in the transcript.")


def test_an_export_has_each_result_after_its_call() -> None:
    needed = needed_in_order(outline_of(LINEAR))
    assert [each.id for each in needed] == ["asked", "called", "answered", "alone", "said"]
