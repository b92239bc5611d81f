"""The real opencode in a PTY, against the suite's model server. Our plugin's hooks tell: it has no others."""

from __future__ import annotations

import pytest
from harness.terminal_cli import TerminalCli

from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    ToolResult,
)
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.testing.model_script import Answer, ToolUse, echo

from .clis import CLIS
from .conftest import opening

pytestmark = pytest.mark.realcli

WRITE = CLIS["opencode"].writing
TOUCH = Answer(tools=(ToolUse(name="bash", arguments={"command": "touch made", "description": "It needs it"}),))


@pytest.fixture
def start(opencode_desk):
    with opening(Opencode(), opencode_desk) as open_cli:
        yield open_cli


def answered(cli: TerminalCli, count: int = 1) -> str:
    return cli.event(AnswerFinished, seconds=60, count=count).text


def test_questions_are_answered_by_the_hook_that_waits_or_by_a_key(opencode_desk, model, start):
    model.script = [TOUCH, TOUCH, TOUCH, Answer(text="Done.")]
    cli = start("Make a file.")
    refused = cli.event(QuestionAsked, seconds=60)
    assert (refused.tool, refused.in_terminal) == ("bash", True)
    cli.answer(refused.question_id, "deny", "Use another name.")
    assert "Use another name." in cli.event(ToolResult).text
    allowed = cli.event(QuestionAsked, count=2)
    assert not (opencode_desk.folder / "made").exists()
    cli.answer(allowed.question_id, "allow")
    assert not cli.event(ToolResult, count=2).is_error
    assert (opencode_desk.folder / "made").exists()
    by_key = cli.event(QuestionAsked, count=3)
    cli.settle()
    cli.keys(b"\r")
    assert cli.event(QuestionAnswered, count=3).question_id == by_key.question_id
    assert answered(cli) == "Done."
    assert cli.outcome().failure is None


def test_opened_without_an_instruction_it_waits_for_one_and_gets_the_system_text(model, start):
    model.script = echo
    cli = start("", system="MARK-SYSTEM")
    assert cli.event(SessionStarted, seconds=60).native_id == ""
    cli.settle()
    cli.instruct("Hello.")
    assert answered(cli) == "You said: Hello."
    assert cli.outcome().native_id.startswith("ses_")
    assert "MARK-SYSTEM" in model.requests[0].system
