"""Tags, notes, stars and bookmarks: kept apart from the index, and two changes at once both survive."""

from __future__ import annotations

import threading

import pytest

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.transcripts.marks import LONGEST_TAG, MOST_TAGS, Marks
from jupyter_cabinet.transcripts.model import EntryPatch, SessionPatch


@pytest.fixture
def marks(tmp_path):
    return Marks(tmp_path / "sessions")


def test_a_patch_changes_only_what_it_names(marks):
    marks.change("s", SessionPatch(alias="My session", add_tags=("good", "slow")))
    found = marks.change("s", SessionPatch(starred=True, remove_tags=("slow",)))
    assert (found.alias, found.starred, found.tags) == ("My session", True, ("good",))
    assert marks.change("s", SessionPatch(alias="", starred=False)).alias == ""
    assert marks.of_session("s").tags == ("good",)
    assert marks.all() == {"s": marks.of_session("s")}


def test_two_changes_at_once_both_survive(marks):
    names = [f"t{number}" for number in range(20)]
    threads = [threading.Thread(target=marks.change, args=("s", SessionPatch(add_tags=(name,)))) for name in names]
    threads.append(threading.Thread(target=marks.change, args=("s", SessionPatch(note="note"))))
    threads.append(threading.Thread(target=marks.change, args=("s", SessionPatch(alias="alias"))))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = marks.of_session("s")
    assert (set(found.tags), found.note, found.alias) == (set(names), "note", "alias")


def test_entries_have_bookmarks_and_notes(marks):
    marks.change_entry("s", EntryPatch(entry="e1", bookmarked=True))
    assert marks.change_entry("s", EntryPatch(entry="e1", note="why?")).bookmarked
    assert marks.of_entries("s")["e1"].note == "why?"
    assert marks.of_entries("other") == {}


@pytest.mark.parametrize(
    "patch",
    [
        SessionPatch(alias="x" * 201),
        SessionPatch(note="x" * 20_001),
        SessionPatch(add_tags=(" ",)),
        SessionPatch(add_tags=("x" * (LONGEST_TAG + 1),)),
        SessionPatch(add_tags=tuple(f"t{number}" for number in range(MOST_TAGS + 1))),
    ],
)
def test_what_is_too_long_is_refused_and_changes_nothing(marks, patch):
    marks.change("s", SessionPatch(note="kept"))
    with pytest.raises(Invalid):
        marks.change("s", patch)
    assert marks.of_session("s").note == "kept" and marks.of_session("s").tags == ()
