"""The real Codex in a PTY, against the suite's model server, with the product's own hook program."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from harness.server import until
from harness.terminal_cli import prompt_file

from jupyter_cabinet.runtimes.codex.runtime import Codex
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


def shell(command: str, **more: str) -> ToolUse:
    return ToolUse(name="exec_command", arguments={"cmd": command, **more})


WRITE = [
    Answer(text="I will write the file.", tools=(shell("echo hello > hello.txt"),)),
    Answer(text="I wrote hello.txt."),
]
OUTSIDE = [
    Answer(tools=(shell("echo hello > ../hello.txt", sandbox_permissions="require_escalated", justification="why"),)),
    Answer(text="I wrote hello.txt."),
]


@pytest.fixture
def start(codex_desk):
    """Open the CLI with one instruction; afterwards nothing of it is left."""
    with opening(Codex(), codex_desk) as open_cli:
        yield open_cli
    until(lambda: not left_below(codex_desk.home), what="its processes to end")


def left_below(home: Path) -> list[int]:
    """Processes that have this home, and do something."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):  # it has ended while we looked
            if process.environ().get("HOME") == str(home) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
    return found


def test_it_answers_stays_open_and_takes_a_second_instruction(codex_desk, model, start):
    model.script = lambda asked: WRITE[asked.turn] if asked.prompt.startswith("Create") else echo(asked)
    cli = start("Create hello.txt.")
    assert cli.event(AnswerFinished).text == "I wrote hello.txt."
    assert (codex_desk.folder / "hello.txt").read_text() == "hello\n"
    order = [SessionStarted, ToolCall, ToolResult, AnswerFinished]
    assert [type(event) for event in cli.events if type(event) in order] == order
    outcome = cli.outcome()
    assert outcome.failure is None
    assert outcome.text == "I wrote hello.txt."
    assert outcome.native_id == cli.of(SessionStarted)[0].native_id
    assert not (codex_desk.home / ".codex" / "packages").exists()  # no copy of itself

    cli.settle()
    cli.instruct("second line one\n- and line two")
    assert cli.event(AnswerFinished, count=2).text == "You said: second line one\n- and line two"
    assert cli.outcome().text.startswith("You said: second")
    assert [block.text for block in cli.of(TextBlock)].count("I wrote hello.txt.") == 1

    cli.settle()
    cli.keys(b"a person types\r")
    assert cli.event(AnswerFinished, count=3).text == "You said: a person types"
    assert cli.outcome().text == "You said: a person types"
    assert cli.typed_texts == ["a person types"]

    cli.settle()
    cli.keys(b"/quit")
    cli.settle()
    cli.keys(b"\r")
    assert cli.gone().code == 0


@pytest.mark.parametrize("prompt", ["--help", "/model"])
def test_a_first_instruction_is_never_an_option_or_a_command(codex_desk, model, start, prompt):
    model.script = echo
    cli = start(prompt)
    assert cli.event(AnswerFinished).text.endswith(prompt)


def test_a_further_instruction_is_never_a_command_nor_a_choice_from_a_list(codex_desk, model, start):
    model.script = echo
    cli = start("Hello.")
    cli.event(AnswerFinished)
    for count, prompt in enumerate(["/model", "!touch x", "look at @he", "use $fo"], start=2):
        cli.settle()
        cli.instruct(prompt)
        assert cli.event(AnswerFinished, count=count).text.endswith(prompt)
    assert not (codex_desk.folder / "x").exists()


def test_a_long_instruction_goes_through_a_file(codex_desk, model, start):
    def read_first(asked: Asked) -> Answer:
        read = Answer(tools=(shell(f"wc -c < {prompt_file(asked.prompt)}"),))
        return read if asked.turn == 0 else Answer(text="I have read it.")

    model.script = read_first
    cli = start("word " * 20_000, permission_mode="ask")
    assert cli.event(AnswerFinished).text == "I have read it."
    assert not cli.of(QuestionAsked)
    assert cli.of(ToolResult)[0].text.strip() == "100000"


def test_a_question_that_is_left_to_the_terminal_is_answered_in_its_box(codex_desk, model, start):
    model.script = OUTSIDE
    cli = start("Create hello.txt.", permission_mode="ask")
    asked = cli.event(QuestionAsked)
    assert not asked.in_terminal  # the box comes when its hook has nothing to say
    assert "echo hello" in asked.question
    cli.answer(asked.question_id, "terminal")
    cli.settle(1)
    cli.keys(b"y")
    assert cli.event(QuestionAnswered).question_id == asked.question_id
    cli.event(AnswerFinished)
    assert cli.outcome().failure is None
    assert (codex_desk.home.parent / "hello.txt").exists()


def test_esc_while_it_asks_ends_the_answer(codex_desk, model, start):
    model.script = OUTSIDE
    cli = start("Create hello.txt.", permission_mode="ask")
    asked = cli.event(QuestionAsked)
    cli.settle()
    cli.keys(b"\x1b")
    assert cli.event(QuestionAnswered).question_id == asked.question_id
    cli.event(AnswerFinished)
    assert cli.outcome().failure.kind == "cancelled"
    assert not (codex_desk.home.parent / "hello.txt").exists()


@pytest.mark.parametrize("mid_stream", [False, True])
def test_an_interrupted_answer_ends(codex_desk, model, start, mid_stream):
    answer = Answer(text="word " * 3000, chunk_delay_seconds=0.05) if mid_stream else Answer(delay_seconds=60)
    model.script = [answer]
    cli = start("Talk.")
    cli.until(lambda: len(model.requests) == 1)
    if mid_stream:
        cli.until(lambda: cli.screen.count(b"word") > 5)
    cli.settle()
    cli.keys(b"\x1b")
    cli.event(AnswerFinished)
    failure = cli.outcome().failure
    assert failure.kind == "cancelled"
    assert failure.message == "Codex was interrupted."


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "unknown"), (401, "not_logged_in"), (500, "model_unavailable")],
)
def test_a_refusal_of_the_service_ends_the_answer_and_the_cli_stays_open(codex_desk, model, start, status, kind):
    model.script = echo
    model.always = Answer(error=status, error_type="invalid_request_error", text="scripted refusal")
    cli = start("Hello.")
    cli.event(AnswerFinished)
    assert cli.outcome().failure.kind == kind
    model.always = None
    cli.settle()
    cli.instruct("Again.")
    assert cli.event(AnswerFinished, count=2).text.endswith("Again.")
    assert cli.outcome().failure is None


def test_without_any_login_it_asks_how_to_log_in(codex_desk, model, start):
    (codex_desk.home / ".codex" / "config.toml").unlink()
    cli = start("Hello.")
    assert cli.event(QuestionAsked).question_id == "dialog-login"


def test_a_session_goes_on_remembers_and_one_that_is_gone_is_begun_anew(codex_desk, model, start):
    model.script = echo
    first = start("The word is plum.")
    first.event(AnswerFinished)
    session = first.outcome().native_id
    first.close()
    second = start("Which word?", resume=session)
    second.event(AnswerFinished)
    assert second.outcome().native_id == session
    assert not second.of(Warned)
    assert "The word is plum." in str(model.requests[-1].body["input"])
    second.close()
    third = start("Go on.", resume="ses_of_another_cli")
    assert third.event(AnswerFinished).text == "You said: Go on."
    assert [event.message for event in third.of(Warned)] == [ANEW.format("Codex")]


def test_the_transcript_holds_the_tokens_of_this_turn(codex_desk, model, start):
    model.script = echo
    cli = start("Hello.")
    cli.event(AnswerFinished)
    outcome = cli.outcome()
    assert (outcome.usage.input_tokens, outcome.session_usage.input_tokens) == (100, 100)


def test_a_persons_own_hooks_stay_as_they_are(codex_desk, model, start):
    """Ours are trusted for this process alone; a hook that nobody has reviewed does not run with them."""
    model.script = echo
    mark = codex_desk.home / "ran"
    settings = codex_desk.home / ".codex" / "config.toml"
    settings.write_text(
        settings.read_text() + f'\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "touch {mark}"\n'
    )
    cli = start("Hello.")
    assert cli.event(QuestionAsked).question_id == "dialog-hooks"
    cli.settle()
    cli.keys(b"3")
    cli.event(QuestionAnswered)
    assert cli.event(AnswerFinished).text == "You said: Hello."
    assert not mark.exists()
