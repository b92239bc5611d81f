"""The demo agent without a terminal: the real program, its edits and its memory."""

from __future__ import annotations

import os
import uuid

import nbformat
import pytest
from harness.driving import run_headless
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.execution.history import with_history
from jupyter_cabinet.execution.model import Exchange
from jupyter_cabinet.runtimes.demo.program.instructions import document, steps
from jupyter_cabinet.runtimes.demo.runtime import Demo
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    QuestionAsked,
    Request,
    SessionStarted,
    TextDelta,
    ToolCall,
    ToolResult,
)


@pytest.fixture
def ask(tmp_path):
    def run(prompt: str, answer=None, **changes: object):
        values = {
            "prompt": prompt,
            "mode": "headless",
            "cwd": str(tmp_path),
            "session_id": str(uuid.uuid4()),
            "run_directory": str(tmp_path),
        }
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
        return run_headless(Demo(), Request(**(values | changes)), environment, answer=answer)

    return run


def test_it_edits_the_named_document_and_tells_every_step(ask, tmp_path):
    (tmp_path / "page.md").write_text("one\n")
    events, outcome = ask("You are editing page.md.\n\nPlease append: two\n\nWork in /x. Edit files directly.")
    assert (tmp_path / "page.md").read_text() == "one\n\ntwo\n"
    kinds = [type(event) for event in events]
    assert kinds[0] is SessionStarted
    assert kinds[-1] is AnswerFinished
    assert kinds.index(ToolCall) < kinds.index(ToolResult)
    assert TextDelta in kinds
    assert outcome.failure is None
    assert (outcome.cost_usd, outcome.usage) == (None, None)


def test_a_notebook_keeps_ids_outputs_and_metadata(ask, tmp_path):
    path = tmp_path / "n.ipynb"
    output = nbformat.v4.new_output("stream", text="kept\n")
    cell = nbformat.v4.new_code_cell("print('kept')", outputs=[output], execution_count=3, metadata={"tags": ["t"]})
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata={"x": 1}), path)
    before = nbformat.read(path, as_version=4).cells[0]
    _, outcome = ask("You are editing n.ipynb.\n\nadd a cell that prints hello\nadd a markdown cell: # Title")
    after = nbformat.read(path, as_version=4)
    assert outcome.failure is None
    assert after.cells[0] == before
    assert after.metadata == {"x": 1}
    assert [c.source for c in after.cells[1:]] == ['print("hello")', "# Title"]
    nbformat.validate(after)


@pytest.mark.parametrize("path", ["../outside.md", "/etc/hostname", "link/page.md"])
def test_it_edits_nothing_outside_its_folder(ask, tmp_path, path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "page.md").write_text("safe\n")
    (tmp_path / "link").symlink_to(outside)
    _, outcome = ask(f"You are editing {path}.\n\nappend: changed")
    assert outcome.failure is not None
    assert (outside / "page.md").read_text() == "safe\n"


def test_a_resumed_session_remembers(ask):
    _, first = ask("remember the word plum")
    _, second = ask("what did I tell you?", resume=first.native_id)
    assert second.text == "You told me: the word plum"
    assert second.native_id == first.native_id


def test_where_its_sessions_cannot_be_written_it_works_all_the_same_and_says_so(ask, tmp_path):
    (tmp_path / "home").write_text("a file, no folder")
    (tmp_path / "a.md").write_text("# A\n")
    _, outcome = ask("You are editing a.md.\nappend: one\nremember the word plum\nwhat did I tell you?")
    assert outcome.failure is None
    assert "Until I end: the folder of my sessions cannot be written." in outcome.text
    assert "You told me: the word plum" in outcome.text
    assert "one" in (tmp_path / "a.md").read_text()


def test_a_session_that_is_gone_is_called_gone(ask):
    _, outcome = ask("hello", resume="nobody-knows-it")
    assert outcome.failure.kind == "session_gone"


def test_free_text_gets_an_honest_answer_with_the_list_of_instructions(ask):
    _, outcome = ask("Make this page beautiful.")
    assert outcome.failure is None
    said, empty, *listed = outcome.text.splitlines()
    assert said.startswith("I did not understand this instruction.") and "without a model" in said
    assert not empty and len(listed) > 5 and all(line.startswith("- `") for line in listed)
    assert "test" not in outcome.text.lower()


def test_a_play_without_a_known_instruction_gets_that_answer_too_and_an_idle_heartbeat_does_not(ask):
    play = "This is a play: nobody is watching, and nobody answers questions while you work. Carry it out.\n\n"
    assert ask(play + "Write a digest.")[1].text.startswith("I did not understand this instruction.")
    assert "Written" in ask(play + "answer: CONTEXT_UPDATE: Written.")[1].text
    assert ask("This is a heartbeat: nobody is watching.\n\n- [ ] Write a digest.")[1].text == "HEARTBEAT_OK"


def test_fail_crash_and_refusal_are_told_apart(ask, tmp_path):
    assert ask("fail")[1].failure.kind == "unknown"
    crash = ask("crash")[1].failure
    assert crash.kind == "crashed"
    assert "as requested" in crash.message
    (tmp_path / "page.md").write_text("one\n")
    assert ask("You are editing page.md.\nappend: x", allowed_tools=())[1].failure.kind == "permission_denied"
    assert (tmp_path / "page.md").read_text() == "one\n"


def test_in_ask_mode_it_asks_before_each_edit_and_takes_no_for_an_answer(ask, tmp_path):
    page, asked = tmp_path / "page.md", []
    page.write_text("")

    def answer(question: QuestionAsked) -> tuple[str, str]:
        asked.append(question)
        return ("allow", "") if len(asked) == 1 else ("deny", "that is enough")

    prompt = "You are editing page.md.\nappend: one\nappend: two"
    events, outcome = ask(prompt, answer=answer, permission_mode="ask")
    assert page.read_text().strip() == "one"
    assert [(each.tool, each.input["new_string"]) for each in asked] == [("Edit", "one\n"), ("Edit", "one\n\ntwo\n")]
    assert outcome.failure is None  # a person's no is no failure
    assert outcome.text == "that is enough"
    assert [event.is_error for event in events if isinstance(event, ToolResult)] == [False, True]


def test_allowed_for_the_session_it_asks_once(ask, tmp_path):
    (tmp_path / "page.md").write_text("")
    prompt = "You are editing page.md.\nappend: one\nappend: two"
    events, outcome = ask(prompt, answer=lambda asked: ("session", ""), permission_mode="ask")
    assert outcome.failure is None
    assert len([event for event in events if isinstance(event, QuestionAsked)]) == 1


def test_its_question_is_answered_by_one_of_its_options(ask):
    events, outcome = ask("ask a question", answer=lambda asked: (asked.options[1].id, ""), permission_mode="ask")
    asked = next(event for event in events if isinstance(event, QuestionAsked))
    assert [option.label for option in asked.options] == ["Yes", "No", "Answer in words", "Deny"]
    assert outcome.text == "You said no."
    _, outcome = ask("ask a question", answer=lambda asked: ("words", "yes, do it"), permission_mode="ask")
    assert outcome.text == "You said yes."


def test_several_questions_at_once_have_an_answer_each(ask):
    answer = lambda asked: ("words", "CSV\ndate, amount")  # noqa: E731
    events, outcome = ask("ask several questions", answer=answer, permission_mode="ask")
    asked = next(event for event in events if isinstance(event, QuestionAsked))
    assert [(option.label, len(option.questions)) for option in asked.options] == [("Answer", 2), ("Deny", 0)]
    assert outcome.text == "Which format? CSV\nWhich columns? date, amount"
    _, outcome = ask("ask several questions")
    assert "only in a headless run that may ask" in outcome.text


def test_a_flood_arrives_whole(ask):
    events, outcome = ask("flood 2 MiB")
    assert outcome.failure is None
    assert sum(len(event.text) for event in events if isinstance(event, TextDelta)) > 2_000_000


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("append: hello", ("append", "hello", "")),
        ("Please add a heading Results", ("append", "Results", "heading")),
        ("add a line that says “hi there”", ("append", "hi there", "line")),
        ('Replace "a b" with "c"', ("replace", "a b", "c")),
        ("add a code cell: 1 + 1", ("cell", "1 + 1", "code")),
        ("summarise this page", ("summary", "", "")),
        ("write a plan", ("plan", "", "")),
        ("sleep 2.5", ("sleep", "2.5", "")),
        ("Wait for the file go.txt", ("await", "go.txt", "")),
        ("Instruction: fail", ("fail", "", "")),
    ],
)
def test_a_line_is_understood(line, step):
    assert [tuple(found) for found in steps(f"You are editing a.md.\n\n{line}\n\nWork in /x.")] == [step]


def test_pasted_documents_are_no_instructions():
    assert steps("You are editing a.md.\n\nwrite a plan\n\n--- Notes (b.md) ---\nfail\ncrash") == [("plan", "", "")]


def test_what_was_said_earlier_is_not_done_again():
    earlier = Exchange(instruction="append: one", answer="")
    assert steps(with_history("append: two", [earlier])) == [("append", "two", "")]
    assert document("You are editing a. b.md.\n\nYou are editing c.md.") == "a. b.md"


@given(st.text())
def test_no_prompt_breaks_the_reading(prompt):
    steps(prompt)
    document(prompt)
