"""The real pi in a PTY, against the suite's model server. An extension of ours tells what happens."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    ToolResult,
)
from jupyter_cabinet.runtimes.pi.runtime import Pi
from jupyter_cabinet.testing.model_script import echo

from .clis import CLIS
from .conftest import opening

pytestmark = pytest.mark.realcli

WRITE = CLIS["pi"].writing


@pytest.fixture
def start(pi_desk):
    with opening(Pi(), pi_desk) as open_cli:
        yield open_cli


def test_no_to_a_permission_box_is_told_to_the_model(pi_desk, model, start):
    model.script = WRITE
    cli = start("Create hello.txt.", permission_mode="ask")
    asked = cli.event(QuestionAsked)
    assert (asked.tool, asked.input["path"], asked.in_terminal) == ("write", "hello.txt", True)
    cli.settle()
    assert b"Yes, and do not ask again" in cli.screen
    cli.keys(b"\x1b")
    assert cli.event(QuestionAnswered).question_id == asked.question_id
    assert cli.event(AnswerFinished).text == "I wrote hello.txt."
    assert not (pi_desk.folder / "hello.txt").exists()
    assert cli.of(ToolResult)[0].is_error


def test_a_prompt_that_it_does_not_take_for_want_of_a_key_ends(pi_desk, start):
    (pi_desk.home / ".pi" / "agent" / "models.json").unlink()
    cli = start("Hello.")
    cli.event(AnswerFinished)
    assert cli.outcome().failure.kind == "not_logged_in"


def test_the_trust_dialog_is_a_question(pi_desk, model, start):
    (pi_desk.folder / ".pi").mkdir()
    (pi_desk.folder / ".pi" / "settings.json").write_text("{}")
    model.script = echo
    cli = start("Hello.")
    assert cli.event(QuestionAsked).question_id == "dialog-trust"
    cli.settle()
    cli.keys(b"\r")
    cli.event(QuestionAnswered)
    assert cli.event(AnswerFinished).text == "You said: Hello."


def test_another_session_in_the_same_cli_is_told(model, start):
    model.script = echo
    cli = start("Hello.")
    cli.event(AnswerFinished)
    cli.outcome()
    cli.settle()
    cli.keys(b"/new")
    cli.settle()
    cli.keys(b"\r")
    second = cli.event(SessionStarted, count=2)
    assert second.native_id != cli.of(SessionStarted)[0].native_id
    cli.settle()
    cli.instruct("Again.")
    assert cli.event(AnswerFinished, count=2).text == "You said: Again."
    assert cli.outcome().native_id == second.native_id
