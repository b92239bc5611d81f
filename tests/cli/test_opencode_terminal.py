"""The real opencode in a PTY, against the suite's model server. Our plugin's hooks tell: it has no others."""

from __future__ import annotations

import pytest
from harness.terminal_cli import TerminalCli, prompt_file

from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    QuestionAnswered,
    QuestionAsked,
    SessionStarted,
    TextBlock,
    ToolCall,
    ToolResult,
    Warned,
)
from jupyter_cabinet.runtimes.opencode.runtime import Opencode
from jupyter_cabinet.testing.model_script import Answer, Asked, ToolUse, echo

from .conftest import ANEW, opening

pytestmark = pytest.mark.realcli

WRITE = [
    Answer(
        text="I will write the file.",
        tools=(ToolUse(name="write", arguments={"path": "hello.txt", "content": "hello\n"}),),
    ),
    Answer(text="I wrote hello.txt."),
]
TOUCH = Answer(tools=(ToolUse(name="bash", arguments={"command": "touch made", "description": "It needs it"}),))


@pytest.fixture
def start(opencode_desk):
    with opening(Opencode(), opencode_desk) as open_cli:
        yield open_cli


def answered(cli: TerminalCli, count: int = 1) -> str:
    return cli.event(AnswerFinished, seconds=60, count=count).text


def test_it_answers_stays_open_and_takes_a_second_instruction(opencode_desk, model, start):
    model.script = lambda asked: WRITE[asked.turn] if asked.prompt.startswith("Create") else echo(asked)
    cli = start("Create hello.txt.", system="MARK-SYSTEM")
    assert answered(cli) == "I wrote hello.txt."
    assert (opencode_desk.folder / "hello.txt").read_text() == "hello\n"
    order = [SessionStarted, ToolCall, ToolResult, AnswerFinished]
    assert [type(event) for event in cli.events if type(event) in order] == order
    outcome = cli.outcome()
    assert outcome.failure is None
    assert outcome.text == "I wrote hello.txt."
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (200, 40)
    assert outcome.cost_usd == pytest.approx(0.00028)
    assert "MARK-SYSTEM" in model.requests[0].system
    session = outcome.native_id

    cli.settle()
    cli.instruct("second line one\n- and line two")
    assert answered(cli, 2) == "You said: second line one\n- and line two"
    outcome = cli.outcome()
    assert outcome.text.startswith("You said: second")
    assert outcome.usage.input_tokens == 100
    assert [block.text for block in cli.of(TextBlock)].count("I wrote hello.txt.") == 1

    cli.settle()
    cli.keys(b"a person types\r")
    assert answered(cli, 3) == "You said: a person types"
    assert cli.outcome().text == "You said: a person types"
    assert cli.typed_texts == ["a person types"]
    for count, further in enumerate(["/models", "!touch x", "look at @he"], start=4):
        cli.settle()
        cli.instruct(further)
        assert answered(cli, count).strip().endswith(further)
    assert not (opencode_desk.folder / "x").exists()
    cli.keys(b"\x03")
    assert cli.gone().code == 0

    again = start("--which file?", resume=session)
    assert answered(again) == "You said: --which file?"
    assert again.outcome().native_id == session
    assert "Create hello.txt." in str(model.requests[-1].body["messages"])


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


def test_a_long_instruction_goes_through_a_file_and_esc_interrupts(opencode_desk, model, start):
    def read_first(asked: Asked) -> Answer:
        read = Answer(tools=(ToolUse(name="read", arguments={"path": prompt_file(asked.prompt)}),))
        return read if asked.turn == 0 else Answer(text="late", delay_seconds=60)

    model.script = read_first
    cli = start("word " * 20_000)
    assert not cli.event(ToolResult, seconds=60).is_error
    assert not cli.of(QuestionAsked)
    cli.until(lambda: len(model.requests) == 2)
    cli.settle()
    for _ in range(2):
        cli.keys(b"\x1b")
        cli.settle()
    answered(cli)
    assert cli.outcome().failure.message == "opencode was interrupted."


def test_opened_without_an_instruction_it_waits_for_one_and_a_refusal_of_the_service_leaves_it_open(model, start):
    model.script = echo
    model.always = Answer(error=401, text="scripted refusal")
    cli = start("")
    assert cli.event(SessionStarted, seconds=60).native_id == ""
    cli.settle()
    cli.instruct("Hello.")
    answered(cli)
    outcome = cli.outcome()
    assert outcome.failure.kind == "not_logged_in"
    assert outcome.native_id.startswith("ses_")
    model.always = None
    cli.settle()
    cli.instruct("Again.")
    assert answered(cli, 2).endswith("Again.")
    assert cli.outcome().failure is None


def test_a_session_that_is_gone_is_begun_anew(model, start):
    model.script = echo
    cli = start("Go on.", resume="ses_0")
    assert answered(cli) == "You said: Go on."
    assert [event.message for event in cli.of(Warned)] == [ANEW.format("opencode")]
