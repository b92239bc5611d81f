"""Questions of the real Claude Code and Codex through the whole product: asked, answered over HTTP, and continued."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import nbformat
import psutil
import pytest
from harness.server import Server, processes_below, until

from jupyter_cabinet.runtimes.shared.screens.screen_phrases import compact
from jupyter_cabinet.terminals.vt.grid import Grid
from jupyter_cabinet.testing.model_script import Answer, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .servers import running_server

pytestmark = pytest.mark.realcli
NAMES = ("claude", "codex")


@pytest.fixture(scope="module")
def server(service: ModelServer) -> Iterator[Server]:
    with running_server(NAMES, service.url) as server:
        yield server


@pytest.fixture
def person(server: Server) -> Iterator[httpx.Client]:
    with server.browser_client("ada") as client:
        yield client


def touch(name: str, path: Path) -> ToolUse:
    if name == "claude":
        return ToolUse(name="Bash", arguments={"command": f"touch {path}", "description": "It needs a file"})
    escalated = {"sandbox_permissions": "require_escalated", "justification": "It needs a file"}
    return ToolUse(name="exec_command", arguments={"cmd": f"touch {path}", **escalated})


def start(server: Server, person: httpx.Client, name: str, **fields: Any) -> dict[str, Any]:
    values = {"kind": "manual", "runtime": name, "permission_mode": "ask", "wait": 0, **fields}
    return server.run(person, "Make a file.", **values)


def question(person: httpx.Client, run: dict[str, Any]) -> dict[str, Any]:
    wanted = {"run_id": run["id"], "state": "waiting"}
    found = until(lambda: person.get("approvals", params=wanted).json()["items"], what="its question")
    return dict(found[0]["approval"])


def final(person: httpx.Client, run: dict[str, Any]) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        now: dict[str, Any] = person.get(f"runs/{run['id']}").json()
        return now if now["finished_at"] else None

    return dict(until(look, seconds=40, what="the run's end"))


def run_of(person: httpx.Client, run: dict[str, Any]) -> dict[str, Any]:
    return dict(person.get(f"runs/{run['id']}").json())


def screen_of(person: httpx.Client, run: dict[str, Any]) -> str:
    grid = Grid(120, 40)
    grid.feed(person.get(f"runs/{run['id']}/raw").content)
    return grid.text()


CASES = [("claude", "headless"), ("claude", "terminal"), ("codex", "terminal")]


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_an_allowed_command_is_carried_out(
    server: Server, person: httpx.Client, service: ModelServer, name: str, mode: str
) -> None:
    made = server.root / f"{name}-{mode}.txt"
    service.script = [Answer(text="I do it.", tools=(touch(name, made),)), Answer(text="Done.")]
    run = start(server, person, name, mode=mode)
    asked = question(person, run)
    assert asked["parts"][0] == {"label": "Command", "text": f"touch {made}", "changes": False}
    assert (asked["kind"], asked["why"]) == ("command", "It needs a file")
    assert person.get(f"runs/{run['id']}").json()["state"] == "waiting"
    assert not made.exists()
    assert person.post(f"approvals/{asked['id']}", json={"option": "allow"}).status_code == 200
    ended = final(person, run)
    assert (ended["state"], ended["result"]["text"]) == ("succeeded", "Done.")
    assert made.exists()


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_a_denied_command_is_not(
    server: Server, person: httpx.Client, service: ModelServer, name: str, mode: str
) -> None:
    made = server.root / f"not-{name}-{mode}.txt"
    service.script = [Answer(text="I do it.", tools=(touch(name, made),)), Answer(text="Then not.")]
    run = start(server, person, name, mode=mode)
    asked = question(person, run)
    person.post(f"approvals/{asked['id']}", json={"option": "deny", "note": "use the replica"})
    assert final(person, run)["result"]["text"] == "Then not."
    assert not made.exists()
    assert "use the replica" in str(service.requests[-1].body)


@pytest.mark.parametrize(("key", "option"), [("1", "deny"), ("\x1b", "allow")])
def test_the_record_says_what_happened_when_claudes_box_is_answered_before_the_panel(
    server: Server, person: httpx.Client, service: ModelServer, key: str, option: str
) -> None:
    """The answer from the panel arrives right after the key. Usually it is too late; if not, the record says so."""
    made = server.root / f"box-first-{option}.txt"
    service.script = [Answer(text="I do it.", tools=(touch("claude", made),)), Answer(text="Done.")]
    run = start(server, person, "claude", mode="terminal")
    asked = question(person, run)
    wanted = compact("Do you want to proceed?")
    until(lambda: wanted in compact(screen_of(person, run)), what="the box")
    typed = person.post(f"terminals/{run_of(person, run)['terminal_id']}/input", json={"text": key, "submit": False})
    assert typed.status_code == 204, typed.text
    person.post(f"approvals/{asked['id']}", json={"option": option})
    final(person, run)
    as_the_panel_said = made.exists() == (option == "allow")

    def told() -> dict[str, Any] | None:
        found: dict[str, Any] = person.get("approvals", params={"run_id": run["id"]}).json()["items"][0]["approval"]
        return found if found["state"] == ("answered" if as_the_panel_said else "withdrawn") else None

    record = until(told, seconds=15, what="the record of what happened")
    if as_the_panel_said:
        assert record["option"] == option and record["answered_by"], record
        return
    overruled = {"deny": "Allowed in the terminal", "allow": "Denied in the terminal"}[option]
    assert record["outcome"].startswith((overruled, "Answered in the terminal")), record
    assert record["option"] is None and record["answered_by"] is None


@pytest.mark.parametrize("mode", ["headless", "terminal"])
def test_an_edit_of_claude_is_shown_at_its_place_before_it_happens(
    server: Server, person: httpx.Client, service: ModelServer, mode: str
) -> None:
    page, notebook = server.root / f"edited-{mode}.md", server.root / f"edited-{mode}.ipynb"
    page.write_text("one\ntwo\nthree\n")
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1", id="first")]), notebook)
    edit = {"file_path": str(page), "old_string": "two", "new_string": "2"}
    cell = {"notebook_path": str(notebook), "cell_id": "first", "new_source": "x = 2"}
    service.script = [
        Answer(tools=tuple(ToolUse(name="Read", arguments={"file_path": str(file)}) for file in (page, notebook))),
        Answer(tools=(ToolUse(name="Edit", arguments=edit),)),
        Answer(tools=(ToolUse(name="NotebookEdit", arguments=cell),)),
        Answer(text="Done."),
    ]
    run = start(server, person, "claude", mode=mode)
    asked = question(person, run)
    assert asked["edits"] == [{"path": page.name, "cell": "", "old": "two", "new": "2"}], asked
    assert page.read_text() == "one\ntwo\nthree\n"
    assert person.post(f"approvals/{asked['id']}", json={"option": "allow"}).status_code == 200
    of_cell = until(lambda: (now := question(person, run))["id"] != asked["id"] and now, what="its second question")
    assert of_cell["edits"] == [{"path": notebook.name, "cell": "first", "old": "x = 1", "new": "x = 2"}], of_cell
    assert person.post(f"approvals/{of_cell['id']}", json={"option": "deny"}).status_code == 200
    assert final(person, run)["state"] == "succeeded"
    assert page.read_text() == "one\n2\nthree\n"
    assert nbformat.read(notebook, as_version=4).cells[0].source == "x = 1"


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_a_rule_answers_in_a_persons_place(
    server: Server, person: httpx.Client, service: ModelServer, name: str, mode: str
) -> None:
    """First a person allows a command from now on; then a rule denies what one allows."""
    made = server.root / f"always-{name}-{mode}.txt"
    script = [Answer(text="I do it.", tools=(touch(name, made),)), Answer(text="Done.")]
    service.script = script
    first = start(server, person, name, mode=mode)
    asked = question(person, first)
    assert asked["because"] == f"Asked because no rule allows `touch {made}`"
    always = {"option": "allow", "always": {"days": 1}}
    assert person.post(f"approvals/{asked['id']}", json=always).status_code == 200
    assert final(person, first)["state"] == "succeeded"
    made.unlink()
    service.script = list(script)
    second = start(server, person, name, mode=mode)
    assert final(person, second)["state"] == "succeeded"
    assert made.exists()
    assert outcomes(person, second) == [f"Allowed by the rule “touch {made}”"]
    made.unlink()
    kept = person.get("approval-rules").json()
    denying = {"effect": "deny", "action": {"type": "command", "argv": ["touch"]}}
    person.put("approval-rules", json={"rules": [denying], "hash": kept["hash"]}).raise_for_status()
    service.script = list(script)
    assert final(person, third := start(server, person, name, mode=mode))["state"] == "succeeded"
    assert outcomes(person, third) == ["Denied by the rule “touch”"]
    assert not made.exists()
    assert "Denied by the rule “touch”" in json.dumps(service.requests[-1].body, ensure_ascii=False)
    kept = person.get("approval-rules").json()
    person.put("approval-rules", json={"rules": [], "hash": kept["hash"]}).raise_for_status()


def outcomes(person: httpx.Client, run: dict[str, Any]) -> list[str]:
    items = person.get("approvals", params={"run_id": run["id"]}).json()["items"]
    return [item["approval"]["outcome"] for item in items]


def test_what_is_answered_in_claudes_own_box_is_no_longer_asked_here(
    server: Server, person: httpx.Client, service: ModelServer
) -> None:
    made = server.root / "typed.txt"
    service.script = [Answer(text="I do it.", tools=(touch("claude", made),)), Answer(text="Done.")]
    run = start(server, person, "claude", mode="terminal")
    asked = question(person, run)
    terminal = f"terminals/{asked['terminal_id']}"
    until(lambda: person.post(f"{terminal}/input", json={"text": "1"}).status_code == 204, what="the lock to open")
    assert final(person, run)["state"] == "succeeded"
    closed = person.get(f"approvals/{asked['id']}").json()
    assert (closed["state"], closed["outcome"]) == ("withdrawn", "Answered in the terminal")


def test_what_is_left_to_codex_own_box_is_answered_there(
    server: Server, person: httpx.Client, service: ModelServer
) -> None:
    made = server.root / "left.txt"
    service.script = [Answer(text="I do it.", tools=(touch("codex", made),)), Answer(text="Done.")]
    run = start(server, person, "codex", mode="terminal")
    asked = question(person, run)
    left = person.post(f"approvals/{asked['id']}", json={"option": "terminal"}).json()
    assert left["outcome"] == "Left to the terminal"
    assert person.get(f"runs/{run['id']}").json()["state"] == "waiting"

    def drawn() -> bool:
        grid = Grid(120, 30)
        grid.feed(person.get(f"runs/{run['id']}/raw").content)
        return compact("Yes, proceed") in compact(grid.text())

    until(drawn, what="Codex' box")
    assert person.get(f"runs/{run['id']}").json()["state"] == "waiting"
    for _ in range(40):  # it takes no key for a moment, so that no one says yes by chance
        person.post(f"terminals/{asked['terminal_id']}/input", json={"text": "y"})
        with suppress(AssertionError):
            until(made.exists, seconds=0.5)
            break
    assert made.exists()
    assert final(person, run)["state"] == "succeeded"


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_two_calls_at_once_are_two_questions(
    server: Server, person: httpx.Client, service: ModelServer, name: str, mode: str
) -> None:
    made = [server.root / f"{place}-{name}-{mode}.txt" for place in ("one", "two")]
    service.script = [Answer(tools=tuple(touch(name, path) for path in made)), Answer(text="Done.")]
    run = start(server, person, name, mode=mode)
    for _ in made:
        asked = question(person, run)
        assert person.post(f"approvals/{asked['id']}", json={"option": "allow"}).status_code == 200
    assert final(person, run)["result"]["text"] == "Done."
    assert [path.exists() for path in made] == [True, True]


@pytest.mark.parametrize("name", NAMES)
def test_a_question_whose_hook_was_ended_is_left_to_the_terminal(
    server: Server, person: httpx.Client, service: ModelServer, name: str
) -> None:
    service.script = [Answer(tools=(touch(name, server.root / "never.txt"),))]
    run = start(server, person, name, mode="terminal")
    asked = question(person, run)
    for pid in processes_below(server.pid):
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            if process.name().startswith("python") and "hook.py" in " ".join(process.cmdline()):
                process.kill()
    until(lambda: person.get(f"approvals/{asked['id']}").json()["outcome"] == "Left to the terminal", what="its end")
    assert person.get(f"runs/{run['id']}").json()["state"] == "waiting"
    person.post(f"runs/{run['id']}/cancel", json={})


def test_without_the_operators_leave_nobody_chooses_no_questions(server: Server, person: httpx.Client) -> None:
    refused = person.post("runs", json={"runtime": "claude", "instruction": "x", "permission_mode": "bypass"})
    assert refused.status_code == 403
