"""The real Codex in a PTY, against the suite's model server, with the product's own hook program."""

from __future__ import annotations

import pytest
from harness.server import until

from jupyter_cabinet.runtimes.codex.runtime import Codex
from jupyter_cabinet.runtimes.model import (
    AnswerFinished,
    QuestionAnswered,
    QuestionAsked,
)
from jupyter_cabinet.testing.model_script import Answer, ToolUse, echo

from .clis import CLIS
from .conftest import left_below, opening

pytestmark = pytest.mark.realcli


def shell(command: str, **more: str) -> ToolUse:
    return ToolUse(name="exec_command", arguments={"cmd": command, **more})


WRITE = CLIS["codex"].writing
OUTSIDE = [
    Answer(tools=(shell("echo hello > ../hello.txt", sandbox_permissions="require_escalated", justification="why"),)),
    Answer(text="I wrote hello.txt."),
]


@pytest.fixture
def start(codex_desk):
    """Open the CLI with one instruction."""
    with opening(Codex(), codex_desk) as open_cli:
        yield open_cli
    until(lambda: not left_below(codex_desk.home), what="its processes to end")


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


def test_without_any_login_it_asks_how_to_log_in(codex_desk, model, start):
    (codex_desk.home / ".codex" / "config.toml").unlink()
    cli = start("Hello.")
    assert cli.event(QuestionAsked).question_id == "dialog-login"


def test_the_transcript_holds_the_tokens_of_this_turn_and_no_copy_of_the_cli_is_made(codex_desk, model, start):
    model.script = echo
    cli = start("Hello.")
    cli.event(AnswerFinished)
    outcome = cli.outcome()
    assert (outcome.usage.input_tokens, outcome.session_usage.input_tokens) == (100, 100)
    assert not (codex_desk.home / ".codex" / "packages").exists()  # no copy of itself


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
