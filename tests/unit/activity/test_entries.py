"""An entry of the activity list: a run with what it asked and what it changed."""

from __future__ import annotations

from typing import Any

import pytest
from harness.values import example_approval, example_run

from jupyter_cabinet.activity.entries import entry_of, listed
from jupyter_cabinet.approvals.model import AskedPart
from jupyter_cabinet.changes.model import ChangedFile, Changes
from jupyter_cabinet.core.people import Person
from jupyter_cabinet.runs.model import RunResult


def changes(count: int, **fields: Any) -> Changes:
    files = tuple(ChangedFile(path=f"{number:03}.md", kind="changed") for number in range(count))
    return Changes(run_id="01", state="ready", files=files, **fields)


def test_an_entry_has_who_answered_what_and_no_folder_of_the_machine() -> None:
    parts = (AskedPart(label="Command", text="git push"), AskedPart(label="In the folder", text="lib"))
    ben = Person(username="ben", display_name="Ben")
    closed = example_approval(parts=parts, state="answered", outcome="Denied: not today", answered_by=ben)
    entry = entry_of(example_run(), (closed,), changes(1))
    assert entry.asked is not None
    (asked,) = entry.asked
    assert (asked.what, asked.outcome, asked.by) == (
        "git push\nIn the folder: lib",
        "Denied: not today",
        ben,
    )
    assert "/secret" not in repr(asked)
    assert [file.path for file in entry.files] == ["000.md"]


def test_what_a_file_gains_or_loses_stands_among_the_changes_alone() -> None:
    parts = (AskedPart(label="File", text="a.py"), AskedPart(label="New text", text="x = 1", changes=True))
    entry = entry_of(example_run(), (example_approval(parts=parts),), None)
    assert entry.asked and entry.asked[0].what == "a.py"


@pytest.mark.parametrize(("question", "what"), [("May it?", "May it?"), ("", "Bash")])
def test_a_question_without_parts_is_named_by_its_words_or_its_tool(question: str, what: str) -> None:
    entry = entry_of(example_run(), (example_approval(question=question),), None)
    assert entry.asked and entry.asked[0].what == what


def test_who_may_not_read_approvals_gets_none_and_what_was_not_compared_says_why() -> None:
    entry = entry_of(example_run(), None, changes(0, reason="The folder is too large."))
    assert entry.asked is None and entry.not_compared == "The folder is too large."
    assert entry_of(example_run(), (), None).not_compared == ""


def test_a_list_has_the_beginnings_of_long_texts_and_the_first_twenty_files() -> None:
    run = example_run(result=RunResult(text="a" * 1000))
    long = example_approval(parts=(AskedPart(label="Command", text="b" * 1000),))
    short = listed(entry_of(run, (long,), changes(23)))
    assert short.run.result and short.run.result.cut and len(short.run.result.text) == 300
    assert short.asked and len(short.asked[0].what) == 300 and short.asked[0].what.endswith("…")
    assert (len(short.files), short.more_files) == (20, 3)
    assert listed(entry_of(run, None, changes(2))).more_files == 0
