"""The activity list as a notebook: valid, whole, and nothing in it is more than text."""

from __future__ import annotations

from datetime import timedelta
from html.parser import HTMLParser

import nbformat
import pytest
from harness.values import NOW, example_run
from hypothesis import given
from hypothesis import strategies as st
from nbconvert import HTMLExporter

from jupyter_cabinet.activity.model import ActivityEntry, ActivityRequest
from jupyter_cabinet.activity.notebook import MOST_FILES, MOST_LINES, cut, notebook_of
from jupyter_cabinet.changes.model import ChangeCounts, ChangedFile, DiffPart, FileDecision, FileDiff, Line
from jupyter_cabinet.core.people import Person
from jupyter_cabinet.runs.model import Run, RunResult, Trigger
from jupyter_cabinet.runtimes.model import Usage

BEN = Person(username="ben", display_name="Ben")


def finished(**fields: object) -> Run:
    return example_run(
        **{
            "state": "succeeded",
            "instruction": "Add a plot",
            "result": RunResult(text="It is **done**."),
            "finished_at": NOW + timedelta(seconds=5),
            "duration_seconds": 5.0,
            "cost_usd": 0.14,
            **fields,
        }
    )


def texts(
    entries: list[ActivityEntry], diffs: dict[tuple[str, str], FileDiff] | None = None, **more: bool
) -> list[str]:
    made = notebook_of(entries, diffs or {}, title="What agents did", more=more.get("more", False))
    nbformat.validate(made)
    return [cell["source"] for cell in made["cells"]]


def test_an_entry_tells_who_asked_what_was_allowed_what_changed_and_what_it_cost() -> None:
    asked = ActivityRequest(
        id="q", kind="command", title="…", what="git push", state="answered", outcome="Denied: later", by=BEN,
        asked_at=NOW,
    )  # fmt: skip
    decided = FileDecision(decision="reverted", by="Ben", at=NOW)
    file = ChangedFile(path="a.py", kind="changed", counts=ChangeCounts(files=1, added=2, removed=1), decision=decided)
    diff = FileDiff(path="a.py", kind="changed", parts=(DiffPart(lines=(Line(sign="+", text="```"),)),))
    run = finished(
        agent="iris", model="large", path="lib/a.py", reason="", usage=Usage(input_tokens=7, output_tokens=3)
    )
    first, cell = texts([ActivityEntry(run=run, asked=(asked,), files=(file,))], {("01", "a.py"): diff})
    assert first.startswith("# What agents did\n\n1 runs, newest first.")
    assert cell.startswith("## 2026-11-01 00:00 · Ada asked iris\n\n**succeeded** · 5 s · $0.1400 · 10 tokens · ")
    assert "Demo agent, large · lib/a.py · run 01" in cell
    assert "```\nAdd a plot\n```" in cell and "It is **done**." in cell
    assert "- Denied: later (Ben)" in cell and "```\ngit push\n```" in cell
    assert "- a.py: changed, +2 −1, reverted by Ben" in cell
    assert "````diff\n--- a.py\n+++ a.py\n@@ -1,0 +1,1 @@\n+```\n````" in cell


def test_what_is_not_known_is_said_or_left_out() -> None:
    run = finished(
        cost_usd=None, result=None, instruction="", reason="Nothing to do", state="skipped", duration_seconds=None
    )
    _, cell = texts([ActivityEntry(run=run, asked=None, not_compared="The folder is too large.")])
    assert "cost unknown" in cell and "Nothing to do" in cell and "**Changes**: The folder is too large." in cell
    assert "Asked for" not in cell and "Answer" not in cell and "tokens" not in cell
    _, bare = texts([ActivityEntry(run=finished(result=RunResult(text=" ")))])
    assert "Answer" not in bare and "Changes" not in bare


def test_a_question_that_waits_says_so() -> None:
    asked = ActivityRequest(id="q", kind="command", title="…", what="ls", state="waiting", asked_at=NOW)
    assert "- waiting\n" in texts([ActivityEntry(run=finished(), asked=(asked,))])[1]


def test_long_records_long_differences_and_many_files_are_cut_and_say_so() -> None:
    files = tuple(ChangedFile(path=f"{number}.md", kind="added") for number in range(MOST_FILES + 2))
    lines = tuple(Line(sign="+", text=str(number)) for number in range(MOST_LINES + 50))
    wide = (Line(sign="-", text="w" * 1000),)
    diff = FileDiff(path="0.md", kind="added", parts=(DiffPart(lines=wide, other_lines=wide), DiffPart(lines=lines)))
    shown = cut(diff, 10_000)
    first, cell = texts([ActivityEntry(run=finished(), files=files)], {("01", "0.md"): shown}, more=True)
    assert "A notebook has at most 500 of them." in first
    assert "… and 2 more files" in cell and "52 more lines are not shown here." in cell and "+198" not in cell
    assert max(map(len, cell.splitlines())) == 301
    assert [len(cut(diff, room).parts) for room in (0, -5, 2, 3)] == [0, 0, 1, 2]
    small = FileDiff(path="b", kind="changed", note="It is no text.")
    assert cut(small, 5) == small


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        handlers = [
            name
            for name, value in attrs
            if name.startswith("on")
            or (name in ("href", "src") and (value or "").strip().lower().startswith("javascript"))
        ]
        if tag in ("script", "img", "iframe", "object", "svg", "style", "form", "input") or handlers:
            self.found.append(f"{tag} {attrs}")


EVIL = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> [x](javascript:alert(1)) ![](https://e.vil/p) $\\href{x}$"
)


@pytest.mark.slow(reason="nbconvert renders the notebook")
def test_no_text_of_others_becomes_active() -> None:
    evil = Person(username=EVIL, display_name=EVIL)
    asked = ActivityRequest(
        id="q", kind="command", title=EVIL, what=f"```\n{EVIL}", state="answered", outcome=EVIL, by=evil, asked_at=NOW
    )
    diff = FileDiff(path=EVIL, kind="changed", parts=(DiffPart(title=EVIL, lines=(Line(sign="+", text=EVIL),)),))
    run = finished(
        instruction=f"~~~\n{EVIL}\n````\n{EVIL}",
        reason=EVIL,
        agent=EVIL,
        path=EVIL,
        model=EVIL,
        result=RunResult(text=EVIL),
        trigger=Trigger(kind="person", username=EVIL, display_name=EVIL),
    )
    entry = ActivityEntry(run=run, asked=(asked,), files=(ChangedFile(path=EVIL, kind="changed"),), not_compared=EVIL)
    made = notebook_of([entry], {("01", EVIL): diff}, title=EVIL, more=True)
    html, _ = HTMLExporter(template_name="basic").from_notebook_node(made)
    tags = Tags()
    tags.feed(html)
    assert tags.found == []


@given(st.text(alphabet="`~\n a<>[]()$\\|*_#!", max_size=40))
def test_whatever_an_instruction_is_the_notebook_is_valid(text: str) -> None:
    assert len(texts([ActivityEntry(run=finished(instruction=text, reason=text, result=RunResult(text=text)))])) == 2


def test_what_no_person_asked_for_names_its_trigger_and_what_was_denied_is_counted() -> None:
    trigger = Trigger(kind="schedule", username="dora", display_name="Dora")
    run = finished(agent="dora", trigger=trigger, denied=2)
    cell = texts([ActivityEntry(run=run)])[1]
    assert cell.startswith("## 2026-11-01 00:00 · dora, by schedule\n\n**succeeded**, 2 actions denied · ")
