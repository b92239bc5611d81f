"""Every real CLI in a PTY, against the suite's model server, with the product's own hooks."""

from __future__ import annotations

import json

import pytest
from harness.server import until
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
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, echo

from .clis import Cli, each, every
from .conftest import ANEW, desk_of, left_below, opening

pytestmark = pytest.mark.realcli


@pytest.fixture
def desk(cli: Cli, model):
    with desk_of(cli.name, model.url, answered=True) as desk:
        yield desk


@pytest.fixture
def start(cli: Cli, desk):
    """Opens the CLI with a first instruction; afterwards nothing of it is left."""
    with opening(cli.runtime(), desk) as open_cli:
        yield open_cli
    until(lambda: not left_below(desk.home), what="its processes to end")


def answered(cli: TerminalCli, count: int = 1) -> str:
    """The text of its n-th answer."""
    text: str = cli.event(AnswerFinished, seconds=60, count=count).text
    return text


def press(opened: TerminalCli, *keys: bytes) -> None:
    for key in keys:
        opened.settle()
        opened.keys(key)


@every()
def test_it_answers_stays_open_and_takes_a_second_instruction(cli: Cli, desk, model, start):
    model.script = lambda asked: cli.writing[asked.turn] if asked.prompt.startswith("Create") else echo(asked)
    opened = start("Create hello.txt.")
    assert answered(opened) == "I wrote hello.txt."
    assert (desk.folder / "hello.txt").read_text() == "hello\n"
    order = [SessionStarted, ToolCall, ToolResult, AnswerFinished]
    assert [type(event) for event in opened.events if type(event) in order] == order
    outcome = opened.outcome()
    assert (outcome.failure, outcome.text) == (None, "I wrote hello.txt.")
    if cli.name != "opencode":  # its session begins with the instruction
        assert outcome.native_id == opened.of(SessionStarted)[0].native_id
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (200, 40)
    if cli.cost_usd is not None:
        assert outcome.cost_usd == pytest.approx(cli.cost_usd)

    opened.settle()
    opened.instruct("second line one\n- and line two")
    assert answered(opened, 2) == "You said: second line one\n- and line two"
    outcome = opened.outcome()
    assert outcome.text.startswith("You said: second")
    assert outcome.usage.input_tokens == 100
    assert [block.text for block in opened.of(TextBlock)].count("I wrote hello.txt.") == 1

    press(opened, b"a person types\r")
    assert answered(opened, 3) == "You said: a person types"
    assert opened.outcome().text == "You said: a person types"
    assert opened.typed_texts == ["a person types"]

    press(opened, *cli.leave)
    assert opened.gone().code == 0


@every("claude", "codex", "opencode", "pi", quick=("opencode", "pi"))  # Gemini CLI: see its own file
def test_a_session_that_was_left_continues_and_remembers(cli: Cli, model, start):
    model.script = echo
    first = start("The word is plum.")
    answered(first)
    session = first.outcome().native_id
    first.close()
    second = start("Which word?", resume=session)
    assert answered(second) == "You said: Which word?"
    assert second.outcome().native_id == session
    assert not second.of(Warned)
    assert "The word is plum." in json.dumps(model.requests[-1].body)


@every()
def test_a_session_that_is_gone_is_replaced_by_a_new_one(cli: Cli, model, start):
    model.script = echo
    opened = start("Go on.", resume=cli.gone_in_terminal)
    assert answered(opened) == "You said: Go on."
    assert [event.message for event in opened.of(Warned)] == [ANEW.format(cli.runtime().about.title)]


@each("prompt", lambda cli: cli.first_prompts)
def test_no_first_instruction_is_an_option_a_command_or_a_file(cli: Cli, desk, model, start, prompt):
    model.script = echo
    assert answered(start(prompt)).strip().endswith(prompt)
    assert not (desk.folder / "x").exists()


@every()
def test_no_further_instruction_is_a_command_or_a_choice_from_a_list(cli: Cli, desk, model, start):
    model.script = echo
    opened = start("Hello.")
    answered(opened)
    for count, prompt in enumerate(cli.further_prompts, start=2):
        opened.settle()
        opened.instruct(prompt)
        assert answered(opened, count).strip().endswith(prompt.strip())
    assert not (desk.folder / "x").exists()


@every()
def test_a_long_instruction_goes_through_a_file(cli: Cli, model, start):
    def read_first(asked: ModelRequest) -> Answer:
        read = Answer(tools=(cli.read(prompt_file(asked.prompt)),))
        return read if asked.turn == 0 else Answer(text="I have read it.")

    model.script = read_first
    opened = start("word " * 20_000, permission_mode="ask")
    assert answered(opened) == "I have read it."
    assert not opened.of(QuestionAsked)
    result = opened.of(ToolResult)[0]
    assert not result.is_error and cli.file_shown in result.text


@every("claude", "gemini", "pi")
def test_a_permission_box_is_a_question_and_yes_answers_it(cli: Cli, desk, model, start):
    model.script = cli.writing
    opened = start("Create hello.txt.", permission_mode="ask")
    asked = opened.event(QuestionAsked)
    assert asked.in_terminal
    assert all(word in asked.question for word in cli.question_words), asked
    press(opened, cli.yes_key)
    assert opened.event(QuestionAnswered).question_id == asked.question_id
    answered(opened)
    assert opened.outcome().failure is None
    assert (desk.folder / "hello.txt").exists()


@each("key", lambda cli: cli.no_keys)
def test_no_to_a_permission_box_ends_the_answer(cli: Cli, desk, model, start, key):
    model.script = cli.writing
    opened = start("Create hello.txt.", permission_mode="ask")
    asked = opened.event(QuestionAsked)
    press(opened, key)
    assert opened.event(QuestionAnswered).question_id == asked.question_id
    answered(opened)
    assert opened.outcome().failure.kind == "cancelled"
    assert not (desk.folder / "hello.txt").exists()


@each("answer", lambda cli: ["late", "streamed"] if cli.name in ("claude", "codex") else ["late"])
def test_an_interrupted_answer_ends(cli: Cli, model, start, answer):
    late = Answer(delay_seconds=60)
    model.script = [late if answer == "late" else Answer(text="word " * 3000, chunk_delay_seconds=0.05)]
    opened = start("Talk.")
    opened.until(lambda: any(not asked.aside for asked in model.requests), 60)
    if answer == "streamed":
        opened.until(lambda: opened.screen.count(b"word") > 5)
    press(opened, *cli.interrupt)
    answered(opened)
    failure = opened.outcome().failure
    assert (failure.kind, failure.message) == ("cancelled", f"{cli.runtime().about.title} was interrupted.")


@each("refusal", lambda cli: cli.refusals.items())
def test_a_refusal_of_the_service_ends_the_answer_and_the_cli_stays_open(cli: Cli, model, start, refusal):
    status, kind = refusal
    model.script = echo
    model.always = cli.refusal(status)
    opened = start("Hello.")
    answered(opened)
    assert opened.outcome().failure.kind == kind
    model.always = None
    opened.settle()
    opened.instruct("Again.")
    assert answered(opened, 2).endswith("Again.")
    assert opened.outcome().failure is None
