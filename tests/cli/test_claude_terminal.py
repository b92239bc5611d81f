"""The real Claude Code in a PTY, against the suite's model server, with the product's own hook program."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
)
from jupyter_cabinet.testing.model_script import Answer, ToolUse, echo

from .clis import CLIS
from .conftest import opening

pytestmark = pytest.mark.realcli

WRITE = CLIS["claude"].writing


@pytest.fixture
def start(desk):
    """Open the CLI with one instruction, in a home where the first-start questions are answered."""
    desk.seed()
    with opening(Claude(), desk) as open_cli:
        yield open_cli


def test_a_question_of_the_model_is_a_question(desk, model, start):
    choices = [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
    question = {"question": "Which colour?", "header": "Colour", "multiSelect": False, "options": choices}
    ask = Answer(tools=(ToolUse(name="AskUserQuestion", arguments={"questions": [question]}),))
    model.script = [ask, Answer(text="Thanks.")]
    cli = start("Ask me.")
    assert cli.event(QuestionAsked).question == "Claude Code asks: Which colour?"
    cli.settle()
    cli.keys(b"1")
    assert cli.event(AnswerFinished).text == "Thanks."


def test_without_key_and_login_it_says_so(desk, model, start):
    del desk.environment["ANTHROPIC_API_KEY"]
    cli = start("Hello.")
    cli.event(AnswerFinished)
    assert cli.outcome().failure.message.startswith("Claude Code is not logged in.")


def test_the_first_start_dialogs_are_questions_one_after_the_other(desk, model):
    model.script = echo
    (desk.home / ".claude.json").write_text('{"hasCompletedOnboarding": true}')
    with opening(Claude(), desk) as open_cli:
        cli = open_cli("Hello.")
        assert cli.event(QuestionAsked).question_id == "dialog-trust"
        cli.settle()
        cli.keys(b"\x1b[B")
        cli.settle()
        cli.keys(b"\r")
        assert cli.event(QuestionAsked, count=2).question_id == "dialog-key"
        cli.settle()
        cli.keys(b"\x1b[A")
        cli.settle()
        cli.keys(b"\r")
        assert cli.event(AnswerFinished).text == "You said: Hello."
        answered = [event.question_id for event in cli.of(QuestionAnswered)]
        assert answered == ["dialog-trust", "dialog-key"]


def test_no_to_the_trust_dialog_is_named(desk, model):
    (desk.home / ".claude.json").write_text('{"hasCompletedOnboarding": true}')
    with opening(Claude(), desk) as open_cli:
        cli = open_cli("Hello.")
        cli.event(QuestionAsked)
        cli.settle()
        cli.keys(b"\r")
        assert cli.outcome().failure.kind == "permission_denied"


def test_a_home_that_was_never_used_and_no_network_is_named(desk, model):
    with opening(Claude(), desk) as open_cli:
        cli = open_cli("Hello.")
        assert cli.outcome().failure.message == "Claude Code cannot reach Anthropic's service."


def test_clear_begins_a_session_with_another_id(desk, model, start):
    model.script = echo
    cli = start("Hello.")
    cli.event(AnswerFinished)
    cli.settle()
    cli.keys(b"/clear")
    cli.settle()
    cli.keys(b"\r")
    fresh = cli.event(SessionStarted, count=2)
    assert fresh.native_id != cli.of(SessionStarted)[0].native_id
