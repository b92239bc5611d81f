"""The real pi without a terminal, against the suite's model server."""

from __future__ import annotations

import os

import pytest
from harness.driving import run_headless
from harness.failures import FAILURES

from jupyter_cabinet.runtimes.model import (
    QuestionAsked,
    ToolResult,
    Warned,
)
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.testing.model_script import Answer, ToolUse, echo

pytestmark = pytest.mark.realcli


def writing(path: str) -> list[Answer]:
    write = ToolUse(name="write", arguments={"path": path, "content": "hello\n"})
    return [Answer(text="I will write the file.", tools=(write,)), Answer(text="I wrote hello.txt.")]


WRITE = writing("hello.txt")
SHELL = [Answer(tools=(ToolUse(name="bash", arguments={"command": "touch made"}),)), Answer(text="Done.")]


def test_a_session_of_another_folder_is_gone_for_this_one(pi_desk, model):
    model.script = echo
    _, before = run_headless(Pi(), pi_desk.request("Hello."), pi_desk.environment)
    other = pi_desk.folder / "other"
    other.mkdir()
    request = pi_desk.request("Yes, go on.", resume=before.native_id, cwd=str(other))
    _, outcome = run_headless(Pi(), request, pi_desk.environment)
    assert outcome.failure.kind == FAILURES["pi"]["session"]
    assert len(model.requests) == 1


def test_edit_mode_has_no_shell_and_changes_files_of_its_folder_only(pi_desk, model):
    outside = pi_desk.folder.parent / "outside.txt"
    (pi_desk.folder / "link").symlink_to(outside)  # it leads nowhere yet
    for path in (str(outside), "../outside.txt", "@../outside.txt", "~/outside.txt", "link", f"file://{outside}"):
        model.script = writing(path)
        events, _ = run_headless(Pi(), pi_desk.request("Create it."), pi_desk.environment)
        assert [event.is_error for event in events if isinstance(event, ToolResult)] == [True], path
    assert not outside.exists()
    assert not (pi_desk.home / "outside.txt").exists()
    assert "bash" not in model.requests[0].tools
    assert "edit" in model.requests[0].tools
    model.script = writing("new/folder/hello.txt")
    run_headless(Pi(), pi_desk.request("Create it."), pi_desk.environment)
    assert (pi_desk.folder / "new" / "folder" / "hello.txt").exists()


def test_bypass_mode_has_all_its_tools(pi_desk, model):
    model.script = SHELL
    _, outcome = run_headless(Pi(), pi_desk.request("Go.", permission_mode="bypass"), pi_desk.environment)
    assert outcome.failure is None
    assert (pi_desk.folder / "made").exists()
    assert "JUPYTER_CABINET_PI" not in os.environ


def test_the_added_system_text_and_the_model_are_those_of_the_run_also_after_a_resume(pi_desk, model):
    model.script = echo
    request = pi_desk.request("One.", system="MARK-ONE", model="suite/other-model")
    events, before = run_headless(Pi(), request, pi_desk.environment)
    assert "MARK-ONE" in model.requests[0].system
    assert model.requests[0].prompt == "One."
    assert model.requests[0].body["model"] == "other-model"
    assert not [event for event in events if isinstance(event, Warned)]
    request = pi_desk.request("Two.", system="MARK-TWO", resume=before.native_id)
    run_headless(Pi(), request, pi_desk.environment)
    assert "MARK-TWO" in str(model.requests[1].body["messages"])


def test_a_model_that_it_does_not_know_is_named(pi_desk):
    _, outcome = run_headless(Pi(), pi_desk.request("One.", model="no-such-model"), pi_desk.environment)
    assert outcome.failure.kind == "model_unavailable"


def test_ask_mode_asks_before_each_tool_that_is_more_than_reading(pi_desk, model):
    read = ToolUse(name="read", arguments={"path": "notes.txt"})
    (pi_desk.folder / "notes.txt").write_text("plum\n")
    model.script = [Answer(tools=(read,)), *WRITE]
    asked = []

    def allow(question: QuestionAsked) -> tuple[str, str]:
        asked.append(question)
        return "allow", ""

    request = pi_desk.request("Create hello.txt.", permission_mode="ask")
    events, outcome = run_headless(Pi(), request, pi_desk.environment, answer=allow)
    assert outcome.failure is None
    assert outcome.native_id == request.session_id
    assert (pi_desk.folder / "hello.txt").exists()
    assert [(question.tool, question.input["path"]) for question in asked] == [("write", "hello.txt")]
    assert [option.kind for option in asked[0].options] == ["allow_once", "allow_session", "deny"]
    assert not asked[0].in_terminal
    assert [event.is_error for event in events if isinstance(event, ToolResult)] == [False, False]


def test_a_no_is_told_to_the_model_with_what_the_person_said(pi_desk, model):
    model.script = WRITE
    request = pi_desk.request("Create hello.txt.", permission_mode="ask")
    _, outcome = run_headless(Pi(), request, pi_desk.environment, answer=lambda asked: ("deny", "Use another\nname."))
    assert outcome.failure is None
    assert not (pi_desk.folder / "hello.txt").exists()
    assert "The person refused and said: Use another name." in str(model.requests[1].body["messages"])


def test_an_answer_for_the_session_counts_for_the_next_call_of_this_tool(pi_desk, model):
    two = tuple(ToolUse(name="write", arguments={"path": name, "content": "x"}) for name in ("one", "two"))
    model.script = [Answer(tools=two), *SHELL]
    asked = []

    def allow(question: QuestionAsked) -> tuple[str, str]:
        asked.append(question.tool)
        return "session", ""

    request = pi_desk.request("Create both.", permission_mode="ask")
    _, outcome = run_headless(Pi(), request, pi_desk.environment, answer=allow)
    assert outcome.failure is None
    assert asked == ["write", "bash"]
    assert (pi_desk.folder / "one").exists() and (pi_desk.folder / "two").exists()
