"""Each permission mode keeps its promise, whatever the list of tools, the CLI and the kind of run.

Every run tries to write a file, to run a command and to write outside its folder. The files tell what was done, and
each question is answered with yes as long as nothing was done before it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness.promises import (
    ACTIONS,
    ASKED,
    CASES,
    DONE,
    LISTS,
    NOT_DONE,
    TITLES,
    Action,
    Case,
    Result,
    is_refused,
    promised,
)
from harness.server import Server, until

from jupyter_cabinet.plays.play_files import file_of
from jupyter_cabinet.runs.rules.enforcement import MODES
from jupyter_cabinet.runtimes.model import PermissionMode
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .servers import running_server

pytestmark = [pytest.mark.realcli, pytest.mark.timeout(240)]
ORDER = tuple(ACTIONS)
EMPTY_NOTEBOOK = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
QUICK = {("ask", "coding"), ("edit", "coding")}


class Trial:
    """A server with every CLI, and the model that tries everything."""

    def __init__(self, server: Server, person: httpx.Client, service: ModelServer) -> None:
        self.server, self.person, self._service = server, person, service
        self._outside = server.place / "outside"
        self._outside.mkdir(exist_ok=True)
        service.script = self._answer

    def path(self, name: str, action: Action) -> Path:
        """The file that shows that an action was done."""
        folder = self._outside if action == "outside" else self.server.root
        return folder / f"{name}-{action}.txt"

    def _answer(self, asked: ModelRequest) -> Answer:
        found = re.findall(r"try-([\w-]+)\.", asked.prompt)
        if not found or asked.turn >= len(ORDER):
            return Answer(text=f"All of {asked.turn} were tried.")
        runtime, mode = found[-1].split("-")[0], found[-1].split("-")[2]
        action = ORDER[asked.turn]
        return Answer(text=f"I try {action}.", tools=(_use(runtime, mode, action, self.path(found[-1], action)),))

    def follow(self, run: dict[str, Any], name: str) -> dict[Action, Result]:
        """Answer every question of the run with yes, until it ends; what happened to each action."""
        asked: set[Action] = set()
        answered: set[str] = set()

        def step() -> dict[str, Any] | None:
            now: dict[str, Any] = self.person.get(f"runs/{run['id']}").json()
            if now["finished_at"] is None and now["state"] == "waiting":
                self._allow(now, name, asked, answered)
            return now if now["finished_at"] else None

        ended = until(step, seconds=150, what=f"the end of {name}")
        denied = (ended["failure"] or {}).get("kind") == "permission_denied"  # its last tool was refused
        assert ended["state"] == "succeeded" or denied, ended
        done = {action for action in ORDER if self.path(name, action).exists()}
        assert asked <= done, f"allowed and not done: {asked - done}"
        return {action: ASKED if action in asked else DONE if action in done else NOT_DONE for action in ORDER}

    def _allow(self, run: dict[str, Any], name: str, asked: set[Action], answered: set[str]) -> None:
        turns = [each.turn for each in self._service.requests if f"try-{name}." in each.prompt]
        wanted = {"run_id": run["id"], "state": "waiting"}
        items = self.person.get("approvals", params=wanted).json()["items"]
        if not turns:  # the CLI is still starting, and the run waits for its input box
            assert not items, items
            return
        action = ORDER[min(turns[-1], len(ORDER) - 1)]
        for item in items:
            approval = item["approval"]
            if approval["id"] in answered:
                continue
            assert not self.path(name, action).exists(), f"{action} was done before it was allowed"
            reply = self.person.post(f"approvals/{approval['id']}", json={"option": "allow"})
            assert reply.status_code in (200, 409), reply.text
            answered.add(approval["id"])
            asked.add(action)
        if run["runtime"] == "gemini" and "permission" in run["reason"] and action not in asked:
            assert not self.path(name, action).exists(), f"{action} was done before it was allowed"
            keys = {"text": "\r", "submit": False}
            if self.person.post(f"terminals/{run['terminal_id']}/input", json=keys).status_code == 204:
                asked.add(action)


def _use(runtime: str, mode: str, action: Action, path: Path) -> ToolUse:
    command = f"{sys.executable} -c \"open('{path}', 'w')\""
    if runtime == "codex":  # it has no tool for files that a test could spell: it writes by commands
        escalated = {"sandbox_permissions": "require_escalated", "justification": "It needs a file"}
        plain = mode == "bypass" or (action == "write" and mode == "edit")
        return ToolUse(name="exec_command", arguments={"cmd": command, **({} if plain else escalated)})
    if action == "command":
        tool = {"claude": "Bash", "gemini": "run_shell_command"}.get(runtime, "bash")
        return ToolUse(name=tool, arguments={"command": command, "description": "It needs a file"})
    tool = "write_file" if runtime == "gemini" else "write"
    return ToolUse(name="Write" if runtime == "claude" else tool, arguments={"path": str(path), "content": "made\n"})


@pytest.fixture(scope="module")
def trial(service: ModelServer) -> Iterator[Trial]:
    sandbox = {"IS_SANDBOX": "1"}  # else Claude Code refuses No questions as root
    arguments = ("--CabinetApp.trust=always", "--CabinetApp.allow_bypass=True")
    with running_server(TITLES, service.url, environment=sandbox, arguments=arguments) as server:
        (server.home / ".claude" / "settings.json").write_text('{"skipDangerousModePermissionPrompt": true}')
        with server.browser_client("ada") as person:
            yield Trial(server, person, service)


def marked(case: Case) -> Any:
    quick = (case.mode, case.tools) in QUICK and not is_refused(case)
    marks = () if quick else (pytest.mark.long(reason="one of 180 cells of a table that is tried as a whole"),)
    return pytest.param(case, id=case.name, marks=marks)


@pytest.mark.parametrize("case", [marked(case) for case in CASES])
def test_a_permission_mode_keeps_its_promise_whatever_the_list_of_tools(trial: Trial, case: Case) -> None:
    body: dict[str, Any] = {"kind": "manual", "runtime": case.runtime, "mode": case.where, "permission_mode": case.mode}
    if case.tools == "explicit":
        body["allowed_tools"] = list(LISTS["explicit"] or ())
    else:
        body["tool_preset"] = case.tools
    reply = trial.person.post("runs", json={**body, "instruction": f"Please try-{case.name}."})
    if is_refused(case):
        assert reply.status_code == 400, reply.text
        assert reply.json()["error"]["detail"]["field"] == "allowed_tools"
        return
    run = reply.json()
    assert reply.status_code == 201, reply.text
    assert trial.follow(run, case.name) == promised(case)
    if case.where == "terminal":
        trial.person.delete(f"terminals/{run['terminal_id']}")


KINDS = ("editor", "cell", "message", "heartbeat", "play")
PERSONA = """\
---
name: {slug}
runtime: {runtime}
permission_mode: ask
tool_preset: coding
heartbeat_enabled: false
---
Be kind.
"""
CASES_OF_KINDS = [
    pytest.param(
        Case(runtime, where, "ask", "coding"),
        kind,
        id=f"{runtime}-{where}-{kind}",
        marks=() if runtime == "claude" else (pytest.mark.long(reason="one of 28 cells of a table"),),
    )
    for runtime in TITLES
    for kind in KINDS
    for where in (("headless", "terminal") if kind in ("editor", "cell") else ("headless",))
    if runtime != "codex"  # it cannot be held to a list, so its agents have none
]


@pytest.mark.parametrize(("case", "kind"), CASES_OF_KINDS)
def test_every_kind_of_run_keeps_the_promise_of_ask_first(trial: Trial, case: Case, kind: str) -> None:
    name = f"{case.runtime}-{case.where}-ask-{kind}"
    reply = trial.person.post("runs", json=_body(trial.server.root, case, kind, name))
    assert reply.status_code == 201, reply.text
    run = reply.json()
    assert trial.follow(run, name) == promised(case)
    if run["mode"] == "terminal":
        trial.person.post(f"editor/sessions/{run['session_id']}/close", json={})


def _body(root: Path, case: Case, kind: str, name: str) -> dict[str, Any]:
    """The request for a run, after the files that it is about were written."""
    instruction = f"Please try-{name}."
    if kind in ("editor", "cell"):
        document = root / f"{name}{'.md' if kind == 'editor' else '.ipynb'}"
        document.write_text("# Page\n" if kind == "editor" else EMPTY_NOTEBOOK)
        about = {"path" if kind == "editor" else "notebook": document.name, "mode": case.where}
        fixed = {"runtime": case.runtime, "permission_mode": case.mode, "tool_preset": case.tools}
        return {"kind": kind, "instruction": instruction, **about, **fixed}
    slug = f"{case.runtime}-{kind}"
    folder = root / ".agents" / slug
    folder.mkdir(parents=True)
    (folder / "persona.md").write_text(PERSONA.format(slug=slug, runtime=case.runtime))
    (folder / "HEARTBEAT.md").write_text(f"{instruction}\n")
    if kind == "play":
        file = root / file_of(slug)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\nname: {slug}\nagent: {slug}\n---\n{instruction}\n")
        return {"kind": kind, "play": slug, "instruction": ""}
    return {"kind": kind, "agent": slug, "instruction": instruction if kind == "message" else ""}


def _in_terminal(runtime: str, mode: str) -> Any:
    marks = () if (runtime, mode) == ("gemini", "bypass") else (pytest.mark.long(reason="one of 15 cells of a table"),)
    return pytest.param(runtime, mode, id=f"{runtime}-{mode}", marks=marks)


@pytest.mark.parametrize(("runtime", "mode"), [_in_terminal(runtime, mode) for runtime in TITLES for mode in MODES])
def test_a_second_instruction_in_the_terminal_ends_as_the_first_one_did(
    trial: Trial, runtime: str, mode: PermissionMode
) -> None:
    document = trial.server.root / f"{runtime}-{mode}-twice.md"
    document.write_text("# Page\n")
    case = Case(runtime, "terminal", mode, "full")
    body = {"kind": "editor", "path": document.name, "mode": "terminal", "runtime": runtime, "permission_mode": mode}
    terminals = set()
    for turn in ("first", "second"):
        name = f"{runtime}-terminal-{mode}-{turn}"
        reply = trial.person.post("runs", json={**body, "instruction": f"Please try-{name}."})
        assert reply.status_code == 201, reply.text
        assert trial.follow(reply.json(), name) == promised(case), turn
        terminals.add(trial.person.get(f"runs/{reply.json()['id']}").json()["terminal_id"])
    assert len(terminals) == 1
    trial.person.post(f"editor/sessions/{reply.json()['session_id']}/close", json={})
