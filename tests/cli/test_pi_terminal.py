"""The real pi in a PTY, against the suite's model server. An extension of ours tells what happens."""

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
from jupyter_cabinet.runtimes.pi.runtime import Pi
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


@pytest.fixture
def start(pi_desk):
    with opening(Pi(), pi_desk) as open_cli:
        yield open_cli


def quit_from(cli: TerminalCli) -> None:
    cli.settle()
    cli.keys(b"/quit")
    cli.settle()
    cli.keys(b"\r")


def test_it_answers_stays_open_and_takes_a_second_instruction(pi_desk, model, start):
    model.script = lambda asked: WRITE[asked.turn] if asked.prompt.startswith("Create") else echo(asked)
    cli = start("Create hello.txt.")
    assert cli.event(AnswerFinished).text == "I wrote hello.txt."
    assert (pi_desk.folder / "hello.txt").read_text() == "hello\n"
    order = [SessionStarted, ToolCall, ToolResult, AnswerFinished]
    assert [type(event) for event in cli.events if type(event) in order] == order
    outcome = cli.outcome()
    assert outcome.failure is None
    assert outcome.text == "I wrote hello.txt."
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (200, 40)
    assert outcome.cost_usd == pytest.approx(280 / 1_000_000)
    session = outcome.native_id

    cli.settle()
    cli.instruct("second line one\n- and line two")
    assert cli.event(AnswerFinished, count=2).text == "You said: second line one\n- and line two"
    outcome = cli.outcome()
    assert outcome.text.startswith("You said: second")
    assert outcome.usage.input_tokens == 100
    assert [block.text for block in cli.of(TextBlock)].count("I wrote hello.txt.") == 1

    cli.settle()
    cli.keys(b"a person types\r")
    assert cli.event(AnswerFinished, count=3).text == "You said: a person types"
    assert cli.outcome().text == "You said: a person types"
    assert cli.typed_texts == ["a person types"]

    quit_from(cli)
    assert cli.gone().code == 0

    again = start("Which file?", resume=session)
    assert again.event(AnswerFinished).text == "You said: Which file?"
    assert again.outcome().native_id == session
    assert "Create hello.txt." in str(model.requests[-1].body["messages"])


@pytest.mark.parametrize("prompt", ["--help", "!touch x", "@hello.txt"])
def test_no_instruction_is_an_option_a_command_or_a_file(pi_desk, model, start, prompt):
    model.script = echo
    cli = start(prompt)
    assert cli.event(AnswerFinished).text.strip().endswith(prompt)
    if prompt == "!touch x":
        for count, further in enumerate(["/model", prompt, "look at @he"], start=2):
            cli.settle()
            cli.instruct(further)
            assert cli.event(AnswerFinished, count=count).text.strip().endswith(further)
    assert not (pi_desk.folder / "x").exists()


def test_a_long_instruction_goes_through_a_file(pi_desk, model, start):
    def read_first(asked: Asked) -> Answer:
        read = Answer(tools=(ToolUse(name="read", arguments={"path": prompt_file(asked.prompt)}),))
        return read if asked.turn == 0 else Answer(text="I have read it.")

    model.script = read_first
    cli = start("word " * 20_000, permission_mode="ask")
    assert cli.event(AnswerFinished).text == "I have read it."
    assert not cli.of(QuestionAsked)
    assert not cli.of(ToolResult)[0].is_error


def test_a_permission_box_is_a_question_and_yes_answers_it(pi_desk, model, start):
    model.script = WRITE
    cli = start("Create hello.txt.", permission_mode="ask")
    asked = cli.event(QuestionAsked)
    assert (asked.tool, asked.input["path"], asked.in_terminal) == ("write", "hello.txt", True)
    cli.settle()
    assert b"Yes, and do not ask again" in cli.screen
    cli.keys(b"\r")
    assert cli.event(QuestionAnswered).question_id == asked.question_id
    cli.event(AnswerFinished)
    assert cli.outcome().failure is None
    assert (pi_desk.folder / "hello.txt").exists()


def test_no_to_a_permission_box_is_told_to_the_model(pi_desk, model, start):
    model.script = WRITE
    cli = start("Create hello.txt.", permission_mode="ask")
    asked = cli.event(QuestionAsked)
    cli.settle()
    cli.keys(b"\x1b")
    assert cli.event(QuestionAnswered).question_id == asked.question_id
    assert cli.event(AnswerFinished).text == "I wrote hello.txt."
    assert not (pi_desk.folder / "hello.txt").exists()
    assert cli.of(ToolResult)[0].is_error


def test_an_interrupted_answer_ends(pi_desk, model, start):
    model.script = [Answer(delay_seconds=60)]
    cli = start("Talk.")
    cli.until(lambda: len(model.requests) == 1)
    cli.settle()
    cli.keys(b"\x1b")
    cli.event(AnswerFinished)
    assert cli.outcome().failure.message == "pi was interrupted."


def test_a_refusal_of_the_service_ends_the_answer_and_the_cli_stays_open(pi_desk, model, start):
    model.script = echo
    model.always = Answer(error=401, text="scripted refusal")
    cli = start("Hello.")
    cli.event(AnswerFinished)
    assert cli.outcome().failure.kind == "not_logged_in"
    model.always = None
    cli.settle()
    cli.instruct("Again.")
    assert cli.event(AnswerFinished, count=2).text.endswith("Again.")
    assert cli.outcome().failure is None


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


def test_a_session_that_is_gone_is_begun_anew(model, start):
    model.script = echo
    cli = start("Go on.", resume="ses_of_another_cli")
    assert cli.event(AnswerFinished).text == "You said: Go on."
    assert [event.message for event in cli.of(Warned)] == [ANEW.format("pi")]
