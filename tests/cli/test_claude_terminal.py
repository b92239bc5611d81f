"""The real Claude Code in a PTY, against the suite's model server, with the product's own hook program."""

from __future__ import annotations

import pytest
from harness.terminal_cli import prompt_file

from jupyter_cabinet.runtimes.claude.runtime import Claude
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
from jupyter_cabinet.testing.model_script import Answer, Asked, ToolUse, echo

from .conftest import ANEW, opening

pytestmark = pytest.mark.realcli

WRITE = [
    Answer(
        text="I will write the file.",
        tools=(ToolUse(name="Write", arguments={"path": "hello.txt", "content": "hello\n"}),),
    ),
    Answer(text="I wrote hello.txt."),
]


@pytest.fixture
def start(desk):
    """Open the CLI with one instruction, in a home where the first-start questions are answered."""
    desk.seed()
    with opening(Claude(), desk) as open_cli:
        yield open_cli


def test_it_answers_stays_open_and_takes_a_second_instruction(desk, model, start):
    model.script = lambda asked: WRITE[asked.turn] if asked.prompt.startswith("Create") else echo(asked)
    cli = start("Create hello.txt.")
    assert cli.event(AnswerFinished).text == "I wrote hello.txt."
    assert (desk.folder / "hello.txt").read_text() == "hello\n"
    kinds = [type(event) for event in cli.events]
    order = [SessionStarted, ToolCall, ToolResult, AnswerFinished]
    assert [kind for kind in kinds if kind in order] == order
    assert len(cli.of(ToolCall)) == len(cli.of(ToolResult)) == 1
    outcome = cli.outcome()
    assert outcome.failure is None
    assert outcome.text == "I wrote hello.txt."
    assert outcome.native_id == cli.of(SessionStarted)[0].native_id

    cli.instruct("second line one\n- and line two")
    assert cli.event(AnswerFinished, count=2).text == "You said: second line one\n- and line two"
    assert cli.outcome().text.startswith("You said: second")
    assert [block.text for block in cli.of(TextBlock)].count("I wrote hello.txt.") == 1

    cli.settle()
    cli.keys(b"a person types\r")
    assert cli.event(AnswerFinished, count=3).text == "You said: a person types"
    assert cli.outcome().text == "You said: a person types"
    assert cli.typed_texts == ["a person types"]

    cli.keys(b"/exit")
    cli.settle()
    cli.keys(b"\r")
    assert cli.gone().code == 0


@pytest.mark.parametrize("prompt", ["--help", "/model", "!touch x", "- a list"])
def test_a_first_instruction_is_never_an_option_or_a_command(desk, model, start, prompt):
    model.script = echo
    cli = start(prompt)
    assert cli.event(AnswerFinished).text.endswith(prompt)
    assert not (desk.folder / "x").exists()


@pytest.mark.parametrize("prompt", ["/model", "!touch x", "  /clear"])
def test_a_further_instruction_is_never_a_command(desk, model, start, prompt):
    model.script = echo
    cli = start("Hello.")
    cli.event(AnswerFinished)
    cli.instruct(prompt)
    assert cli.event(AnswerFinished, count=2).text.endswith(prompt.strip())
    assert not (desk.folder / "x").exists()


def test_a_long_instruction_goes_through_a_file(desk, model, start):
    def read_first(asked: Asked) -> Answer:
        read = Answer(tools=(ToolUse(name="Read", arguments={"path": prompt_file(asked.prompt)}),))
        return read if asked.turn == 0 else Answer(text="I have read it.")

    model.script = read_first
    cli = start("word " * 20_000, permission_mode="ask")
    cli.event(AnswerFinished)
    assert not cli.of(QuestionAsked)
    assert not cli.of(ToolResult)[0].is_error


def test_a_permission_box_is_a_question_and_yes_answers_it(desk, model, start):
    model.script = WRITE
    cli = start("Create hello.txt.", permission_mode="ask")
    asked = cli.event(QuestionAsked)
    assert asked.in_terminal
    assert "Write" in asked.question
    assert "hello.txt" in asked.question
    cli.settle()
    cli.keys(b"1")
    assert cli.event(QuestionAnswered).question_id == asked.question_id
    cli.event(AnswerFinished)
    assert cli.outcome().failure is None
    assert (desk.folder / "hello.txt").exists()


@pytest.mark.parametrize("key", [b"\x1b", b"3"])
def test_no_to_a_permission_box_ends_the_answer(desk, model, start, key):
    model.script = WRITE
    cli = start("Create hello.txt.", permission_mode="ask")
    asked = cli.event(QuestionAsked)
    cli.settle()
    cli.keys(key)
    assert cli.event(QuestionAnswered).question_id == asked.question_id
    cli.event(AnswerFinished)
    assert cli.outcome().failure.kind == "cancelled"


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


@pytest.mark.parametrize("mid_stream", [False, True])
def test_an_interrupted_answer_ends(desk, model, start, mid_stream):
    answer = Answer(text="word " * 3000, chunk_delay_seconds=0.05) if mid_stream else Answer(delay_seconds=60)
    model.script = [answer]
    cli = start("Talk.")
    cli.until(lambda: len(model.requests) == 1)
    if mid_stream:
        cli.until(lambda: b"word" in cli.screen)
    cli.settle()
    cli.keys(b"\x1b")
    cli.event(AnswerFinished)
    failure = cli.outcome().failure
    assert failure.kind == "cancelled"
    assert failure.message == "Claude Code was interrupted."


@pytest.mark.parametrize(
    ("status", "error_type", "kind"),
    [
        (400, "invalid_request_error", "unknown"),
        (401, "authentication_error", "not_logged_in"),
        (429, "rate_limit_error", "rate_limited"),
        (529, "overloaded_error", "model_unavailable"),
    ],
)
def test_a_refusal_of_the_service_ends_the_answer_and_the_cli_stays_open(desk, model, start, status, error_type, kind):
    model.script = echo
    model.always = Answer(error=status, error_type=error_type, text="scripted refusal")
    cli = start("Hello.")
    cli.event(AnswerFinished)
    assert cli.outcome().failure.kind == kind
    model.always = None
    cli.settle()
    cli.instruct("Again.")
    assert cli.event(AnswerFinished, count=2).text.endswith("Again.")


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


def test_a_session_that_is_gone_is_begun_anew(desk, model, start):
    model.script = echo
    cli = start("Go on.", resume="00000000-0000-4000-8000-000000000000")
    assert cli.event(AnswerFinished).text == "You said: Go on."
    assert [event.message for event in cli.of(Warned)] == [ANEW.format("Claude Code")]


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


def test_the_whole_transcript_holds_the_tokens(desk, model, start):
    model.script = echo
    cli = start("Hello.")
    cli.event(AnswerFinished)
    assert cli.outcome().usage.input_tokens == 100
