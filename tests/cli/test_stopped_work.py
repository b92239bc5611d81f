"""The real CLIs: *Stop* leaves nothing at work that the agent has started, in a terminal and without one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psutil
import pytest
from harness.terminal_cli import TerminalCli

from jupyter_cabinet.runtimes.model import RunMode
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse, echo
from jupyter_cabinet.testing.model_server import ModelServer

from .clis import CLIS
from .conftest import Desk, opening
from .test_interruption import SECOND

pytestmark = [pytest.mark.realcli, pytest.mark.timeout(300)]

SECONDS = "37.25"  # no other process of this machine sleeps for so long
BEGUN_SECONDS = 150.0  # opencode takes 70 s to begin its first command at a load of ten on two cores
WORK = f"touch begun.txt; sleep {SECONDS}; touch late.txt"
COMMANDS = {
    "ignores": f"trap '' INT HUP; {WORK}",
    "background": f'nohup sh -c "{WORK}" >/dev/null 2>&1 &',
    "session": f"setsid sh -c '{WORK}'",
}
SHELLS = {"claude": "Bash", "codex": "exec_command", "gemini": "run_shell_command", "opencode": "bash", "pi": "bash"}
QUICK = {("codex", "ignores", "terminal"), ("pi", "background", "terminal"), ("codex", "session", "terminal")}
LATE = Answer(text="Too late.", delay_seconds=120)


def marked(cli: str, command: str, mode: RunMode) -> Any:
    quick = (cli, command, mode) in QUICK
    marks = () if quick else (pytest.mark.long(reason="one of 30 cells of a table that is tried as a whole"),)
    return pytest.param(cli, command, mode, id=f"{cli}-{command}-{mode}", marks=marks)


CASES = [marked(cli, command, mode) for mode in ("terminal", "headless") for cli in CLIS for command in COMMANDS]


def runs(name: str, command: str, then: Answer = LATE) -> Callable[[ModelRequest], Answer]:
    """The model has this command run, and says something then; every other instruction is repeated."""
    spelled = {"cmd": command} if name == "codex" else {"command": command, "description": "It works"}
    use = Answer(tools=(ToolUse(name=SHELLS[name], arguments=spelled),))

    def answer(asked: ModelRequest) -> Answer:
        if "Work." not in asked.prompt:
            return echo(asked)
        return use if asked.turn == 0 else then

    return answer


def at_work() -> list[psutil.Process]:
    """What belongs to such a command: the sleep, and every shell around it."""
    return [each for each in psutil.process_iter(["cmdline"]) if SECONDS in " ".join(each.info["cmdline"] or ())]


def desk_of(request: pytest.FixtureRequest, name: str, monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk: Desk = request.getfixturevalue("desk" if name == "claude" else f"{name}_desk")
    if name == "claude":
        desk.seed()
        monkeypatch.setenv("IS_SANDBOX", "1")  # else it refuses to ask nobody as root
        desk.environment["IS_SANDBOX"] = "1"
        settings = {"skipDangerousModePermissionPrompt": True}
        (desk.home / ".claude" / "settings.json").write_text(json.dumps(settings))
    return desk


def stop(cli: TerminalCli, model: ModelServer, desk: Desk) -> None:
    """Codex and Gemini CLI end what is in the background themselves when their shell has ended."""

    def is_done() -> bool:
        return any(asked.turn == 1 and not asked.aside for asked in model.requests)

    cli.until(lambda: is_done() or (desk.folder / "begun.txt").exists(), BEGUN_SECONDS)
    assert cli.interrupt() == ""
    assert not at_work()
    assert cli.outcome().failure is not None


@pytest.mark.parametrize(("name", "command", "mode"), CASES)
def test_nothing_goes_on_after_a_stop(
    request: pytest.FixtureRequest,
    model: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    command: str,
    mode: RunMode,
) -> None:
    desk = desk_of(request, name, monkeypatch)
    model.script = runs(name, COMMANDS[command])
    with opening(CLIS[name].runtime(), desk) as start:
        cli = start("Work.", permission_mode="bypass", mode=mode)
        stop(cli, model, desk)
        if mode == "terminal":  # the CLI is open, and well
            pid = cli.pid
            model.script = lambda asked: SECOND
            cli.instruct("Second.")
            assert cli.outcome(60).text == SECOND.text
            assert cli.pid == pid
    assert not (desk.folder / "late.txt").exists()


def other(cli: str) -> Any:
    return pytest.param(cli, marks=pytest.mark.long(reason="what is tried with one CLI already"))


@pytest.mark.parametrize("name", ["codex", *(other(cli) for cli in CLIS if cli != "codex")])
def test_what_an_earlier_instruction_has_started_goes_on(
    request: pytest.FixtureRequest, model: ModelServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A server that the agent was to start, for example, and whose turn has ended."""
    desk = desk_of(request, name, monkeypatch)
    command = f"setsid -f sleep {SECONDS} </dev/null >/dev/null 2>&1"
    model.script = runs(name, command, then=Answer(text="It runs."))
    with opening(CLIS[name].runtime(), desk) as start:
        cli = start("Work.", permission_mode="bypass")
        assert cli.outcome(BEGUN_SECONDS).failure is None
        served = at_work()
        assert len(served) == 1
        model.script = runs(name, f"touch begun.txt; sleep {SECONDS}")
        cli.instruct("Work. Now.")
        cli.until((desk.folder / "begun.txt").exists, BEGUN_SECONDS)
        assert cli.interrupt() == ""
        assert at_work() == served


def test_claude_code_begins_no_turn_because_its_background_task_was_ended(
    request: pytest.FixtureRequest, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gives itself a prompt when such a task has ended: here before the next instruction would be typed."""
    desk = desk_of(request, "claude", monkeypatch)
    task = {"command": f'python3 -c \'open("begun.txt", "w"); import time; time.sleep({SECONDS})\''}
    use = ToolUse(name="Bash", arguments={**task, "description": "It works", "run_in_background": True})
    script = (Answer(tools=(use,)), LATE)
    model.script = lambda asked: script[asked.turn] if "Work." in asked.prompt else echo(asked)
    with opening(CLIS["claude"].runtime(), desk) as start:
        cli = start("Work.", permission_mode="bypass")
        cli.until(lambda: any(asked.turn == 1 for asked in model.requests), 60)
        cli.until((desk.folder / "begun.txt").exists, 60)
        assert cli.interrupt() == ""
        cli.until(lambda: b"was stopped" in cli.screen, 20)  # the notice came, and was refused
        before = len(model.requests)
        cli.instruct("Second.")
        assert cli.outcome(60).text == "You said: Second."
        assert [asked.prompt for asked in model.requests[before:] if not asked.aside] == ["Second."]
        assert cli.typed_texts == []
