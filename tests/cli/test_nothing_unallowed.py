"""Nothing is carried out that nobody allowed: the real CLIs ask within editor runs, and another instruction follows.

`CABINET_ROUNDS=50` asks so often of each CLI; `CABINET_STRESS=4` keeps the machine busy with so many processes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness.examples import cases
from harness.server import Server, until

from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import NAMES
from .servers import running_server

pytestmark = pytest.mark.realcli
ROUNDS = int(os.environ.get("CABINET_ROUNDS", "0")) or 4
STRESS = int(os.environ.get("CABINET_STRESS", "0"))
ENDS = {("gemini", "deny"): "failed", ("opencode", "deny"): "failed"}  # all others continue after a no
LOOK_SECONDS = 1.5  # so long a command that nobody allowed has time to be carried out


@pytest.fixture(scope="module", autouse=True)
def load() -> Iterator[None]:
    burning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(STRESS)]
    yield
    for process in burning:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def server(service: ModelServer) -> Iterator[Server]:
    with running_server(NAMES, service.url) as server:
        yield server


@pytest.fixture
def person(server: Server) -> Iterator[httpx.Client]:
    with server.browser_client("ada") as client:
        yield client


def command(name: str, made: Path) -> ToolUse:
    """One that no mode allows by itself."""
    line = f"{sys.executable} -c \"open('{made}', 'w')\""
    if name == "codex":
        escalated = {"sandbox_permissions": "require_escalated", "justification": "It needs a file"}
        return ToolUse(name="exec_command", arguments={"cmd": line, **escalated})
    tool = {"claude": "Bash", "gemini": "run_shell_command"}.get(name, "bash")
    return ToolUse(name=tool, arguments={"command": line, "description": "It needs a file"})


def script(name: str, root: Path) -> Any:
    """`ask-N` asks to make `N.txt`; everything else is answered in words that name it."""

    def answer(asked: ModelRequest) -> Answer:
        found = re.findall(r"(ask|next)-([\w-]+)\.", asked.prompt)
        kind, number = found[-1] if found else ("next", "title")
        if kind == "ask" and asked.turn == 0:
            return Answer(text="I do it.", tools=(command(name, root / f"{number}.txt"),))
        return Answer(text=f"{kind} {number} is answered.")

    return answer


class Table:
    """One document with its CLI, and the person in front of it."""

    def __init__(self, server: Server, person: httpx.Client, name: str, mode: str) -> None:
        self.server, self.person, self.name, self.mode = server, person, name, mode
        self.document = f"{name}-{mode}.md"
        (server.root / self.document).write_text("# Page\n")

    def submit(self, instruction: str) -> dict[str, Any]:
        values = {"kind": "editor", "path": self.document, "runtime": self.name, "permission_mode": self.mode}
        return self.server.run(self.person, instruction, wait=0, mode="terminal", **values)

    def get(self, run: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.person.get(f"runs/{run['id']}").json()
        return found

    def ended(self, run: dict[str, Any]) -> dict[str, Any]:
        def final() -> dict[str, Any] | None:
            now = self.get(run)
            return now if now["finished_at"] else None

        try:
            return dict(until(final, seconds=90, what="the end"))
        except AssertionError:
            raise AssertionError(f"{self.get(run)} {self.screen(run)}") from None

    def screen(self, run: dict[str, Any]) -> str:
        from jupyter_cabinet.terminals.vt.grid import Grid

        grid = Grid(120, 30)
        grid.feed(self.person.get(f"runs/{run['id']}/raw").content)
        return grid.text()

    def waits(self, run: dict[str, Any]) -> dict[str, Any]:
        """Until its question stands; the run."""

        def waiting() -> dict[str, Any] | None:
            now = self.get(run)
            assert not now["finished_at"], f"{now} {self.screen(run)}"
            # a screen that stands still for a second, on a busy machine, is taken for a separate question
            asks = now["state"] == "waiting" and "asks a question in its terminal" not in now["reason"]
            return now if asks else None

        return dict(until(waiting, seconds=90, what="its question"))

    def answer(self, run: dict[str, Any], option: str) -> None:
        """By the button if there is one, else in the terminal, as a person would."""
        if self.name == "gemini":
            keys = {"allow": "\r", "deny": "\x1b"}[option]
            terminal = self.get(run)["terminal_id"]
            until(
                lambda: (
                    self.person.post(f"terminals/{terminal}/input", json={"text": keys, "submit": False}).status_code
                    == 204
                ),
                what="the lock to open",
            )
            return
        wanted = {"run_id": run["id"], "state": "waiting"}
        items = until(lambda: self.person.get("approvals", params=wanted).json()["items"], what="its approval")
        reply = self.person.post(f"approvals/{items[0]['approval']['id']}", json={"option": option})
        assert reply.status_code == 200, reply.text


@pytest.mark.parametrize("mode", cases("ask", "edit"))
@pytest.mark.parametrize("name", NAMES)
def test_a_question_waits_for_a_person_whatever_instruction_follows(
    server: Server, person: httpx.Client, service: ModelServer, name: str, mode: str
) -> None:
    service.script = script(name, server.root)
    table = Table(server, person, name, mode)
    session = ""
    for number in range(ROUNDS):
        made = server.root / f"{name}-{mode}-{number}.txt"
        first = table.submit(f"ask-{name}-{mode}-{number}.")
        session = first["session_id"]
        if mode == "edit" and name in ("gemini", "opencode", "pi") and not asks(table, first):
            pytest.skip(f"{name} does not ask for commands in this mode")
        table.waits(first)
        follows, option = number % 2 == 1, "allow" if number % 4 < 2 else "deny"
        second = table.submit(f"next-{name}-{number}.") if follows else None
        end = time.monotonic() + LOOK_SECONDS
        while time.monotonic() < end:
            assert not made.exists(), f"round {number}: carried out before anybody allowed it"
            time.sleep(0.05)
        assert table.get(first)["state"] == "waiting", table.get(first)
        table.answer(first, option)
        ended = table.ended(first)
        wanted = ENDS.get((name, option), "succeeded")
        assert ended["state"] == wanted, (number, ended, table.screen(first))
        second = second or table.submit(f"next-{name}-{number}.")
        answered = table.ended(second)
        assert answered["state"] == "succeeded", (number, answered, table.screen(second))
        assert answered["result"]["text"] == f"next {name}-{number} is answered.", (number, answered)
        assert made.exists() == (option == "allow")
    person.post(f"editor/sessions/{session}/close", json={}, timeout=30)


def asks(table: Table, run: dict[str, Any]) -> bool:
    """Whether it asks at all in this mode; if not, it has ended."""
    until(lambda: table.get(run)["finished_at"] or table.get(run)["state"] == "waiting", seconds=90, what="it to go on")
    return not table.get(run)["finished_at"]


@pytest.mark.parametrize("name", NAMES)
def test_after_a_stop_with_a_question_open_the_next_instructions_are_answered(
    server: Server, person: httpx.Client, service: ModelServer, name: str
) -> None:
    service.script = script(name, server.root)
    table = Table(server, person, name, "ask")
    first = table.submit(f"ask-{name}-stop-0.")
    table.waits(first)
    assert person.post(f"runs/{first['id']}/cancel", json={}, timeout=30).json()["state"] == "cancelled"
    for number in range(3):
        answered = table.ended(table.submit(f"next-{name}-stop{number}."))
        assert answered["state"] == "succeeded", f"{answered} {table.screen(answered)}"
        assert answered["result"]["text"] == f"next {name}-stop{number} is answered.", answered["result"]
    assert not (server.root / f"{name}-stop-0.txt").exists()
    person.post(f"editor/sessions/{first['session_id']}/close", json={}, timeout=30)
