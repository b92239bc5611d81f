"""The real CLIs in a PTY: a turn is interrupted as by *Stop*, and the same process answers the next instruction."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from harness.terminal_cli import TerminalCli

from jupyter_cabinet.runtimes.model import QuestionAsked, SessionStarted
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse, echo
from jupyter_cabinet.testing.model_server import ModelServer

from .clis import CLIS
from .conftest import desk_of, opening

pytestmark = pytest.mark.realcli

Start = Callable[..., TerminalCli]
# As the sidebar's prompts are: several lines, and more of them than an input box shows.
LONG = "You are editing a.md.\n\n" + "\n".join(f"Line {number} of the instruction." for number in range(30))

SECOND = Answer(text="Here is the second.")


@pytest.fixture(params=CLIS)
def start(request: pytest.FixtureRequest, model: ModelServer) -> Iterator[Start]:
    cli = CLIS[request.param]
    with desk_of(cli.name, model.url, answered=True) as desk, opening(cli.runtime(), desk) as open_cli:
        yield open_cli


def slow(words: str, answer: Answer) -> Callable[[ModelRequest], Answer]:
    """What holds these words gets this answer, everything else is repeated."""
    return lambda asked: answer if words in asked.prompt else echo(asked)


def is_asked_for(model: ModelServer, words: str) -> bool:
    return any(words in asked.prompt and not asked.aside for asked in model.requests)


def goes_on(cli: TerminalCli, model: ModelServer, pid: int) -> None:
    """The same process answers the next instruction, which contains nothing of the one before."""
    model.script = lambda asked: SECOND
    before = len(model.requests)
    cli.instruct("Second.")
    outcome = cli.outcome(60)
    assert (outcome.failure, outcome.text) == (None, SECOND.text)
    assert cli.pid == pid and len(cli.of(SessionStarted)) == 1
    sent = [json.dumps(asked.body) for asked in model.requests[before:]]
    assert any('"Second.' in body for body in sent)
    assert not any(re.search(r"(Talk|instruction)\.\s*Second", body) for body in sent)


@pytest.mark.parametrize("prompt", ["Talk.", LONG], ids=["short", "long"])
def test_before_the_first_word(model: ModelServer, start: Start, prompt: str) -> None:
    words = prompt.partition("\n")[0]
    model.script = slow(words, Answer(text="Too late.", delay_seconds=120))
    cli = start(prompt)
    cli.until(lambda: is_asked_for(model, words), 60)
    pid = cli.pid
    assert cli.interrupt() == ""
    assert cli.outcome().failure.kind == "cancelled"
    goes_on(cli, model, pid)


def test_a_further_instruction_in_the_middle_of_its_answer(model: ModelServer, start: Start) -> None:
    model.script = slow("Talk.", Answer(text="word " * 3000, chunk_delay_seconds=0.05))
    cli = start("First.")
    assert cli.outcome(60).failure is None
    pid = cli.pid
    cli.instruct("Talk.")
    cli.until(lambda: is_asked_for(model, "Talk."), 60)
    cli.until(lambda: b"word" in cli.screen, 60)
    assert cli.interrupt() == ""
    assert cli.outcome().failure.kind == "cancelled"
    goes_on(cli, model, pid)


def test_a_further_long_instruction_before_its_first_word(model: ModelServer, start: Start) -> None:
    model.script = slow("You are editing", Answer(text="Too late.", delay_seconds=120))
    cli = start("First.")
    assert cli.outcome(60).failure is None
    pid = cli.pid
    cli.instruct(LONG)
    cli.until(lambda: is_asked_for(model, "You are editing"), 60)
    assert cli.interrupt() == ""
    assert cli.outcome().failure.kind == "cancelled"
    goes_on(cli, model, pid)


@pytest.mark.parametrize("start", ["claude", "codex", "opencode", "pi"], indirect=True)
def test_an_open_question(request: pytest.FixtureRequest, model: ModelServer, start: Start) -> None:
    shell = "exec_command" if "codex" in request.node.name else "bash"
    arguments = {"command": "touch made.txt"}
    if shell == "exec_command":
        arguments = {
            "cmd": "touch ../made.txt",
            "sandbox_permissions": "require_escalated",
            "justification": "why",
        }
    asks = Answer(tools=(ToolUse(name=shell, arguments=arguments),))
    late = Answer(text="Too late.", delay_seconds=120)  # pi tells its model that the tool was refused
    model.script = lambda asked: asks if asked.turn == 0 else late
    cli = start("Make it.", permission_mode="ask")
    cli.event(QuestionAsked, seconds=60)
    pid = cli.pid
    assert cli.interrupt() == ""
    assert cli.outcome().failure.kind in ("cancelled", "permission_denied")
    goes_on(cli, model, pid)
