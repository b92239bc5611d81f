"""The whole product with every real CLI: over HTTP, with the suite's model service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.server import Server, processes_below, until
from harness.sockets import frames

from jupyter_cabinet.testing.model_script import Answer, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import NAMES, installed
from .servers import running_server

pytestmark = pytest.mark.realcli
OTHERS = [name for name in NAMES if name != "claude"]  # more about Claude Code: test_product_claude.py


@pytest.fixture
def model(service: ModelServer) -> ModelServer:
    service.reset()
    return service


@pytest.fixture(scope="module")
def server(service: ModelServer) -> Iterator[Server]:
    acp = {"JUPYTER_CABINET_ACP_GEMINI_PATH": str(installed("gemini"))}
    with running_server(NAMES, service.url, environment=acp) as server:
        yield server


def write(name: str, path: Path, content: str) -> Answer:
    if name == "codex":
        return Answer(tools=(ToolUse(name="exec_command", arguments={"cmd": f"printf '{content}' > {path}"}),))
    tool = {"claude": "Write", "gemini": "write_file"}.get(name, "write")
    return Answer(tools=(ToolUse(name=tool, arguments={"path": str(path), "content": content}),))


def editor_run(server: Server, name: str, instruction: str, path: str, **fields: Any) -> dict[str, Any]:
    with server.client("ada") as client:
        values = {"kind": "editor", "path": path, "runtime": name, "mode": "terminal", **fields}
        return server.run(client, instruction, wait=60, **values)


def said(model: ModelServer) -> str:
    return json.dumps(model.requests[-1].body)


def test_all_are_found_with_what_they_can_do(server: Server) -> None:
    with server.client("ada") as client:
        entries = {entry["name"]: entry for entry in client.get("runtimes").json()["items"]}
    for name in NAMES:
        assert entries[name]["found"] and entries[name]["capabilities"]["finish_signal"], entries[name]
    assert entries["codex"]["capabilities"]["mcp"] and not entries["gemini"]["capabilities"]["mcp"]


@pytest.mark.parametrize("name", NAMES)
def test_an_instruction_in_a_terminal_edits_the_document_and_the_next_one_goes_into_the_same_cli(
    server: Server, model: ModelServer, name: str
) -> None:
    document = server.root / f"{name}.md"
    document.write_text("# Doc\n")
    model.script = [write(name, document, "from the model"), Answer(text="I changed it.")]
    before = set(processes_below(server.pid))
    first = editor_run(server, name, "add a line", document.name)
    assert (first["state"], first["reason"]) == ("succeeded", "Finished."), first
    assert first["result"]["text"] == "I changed it."
    assert document.read_text() == "from the model"
    assert first["usage"]["output_tokens"] == 40, first
    assert f"You are editing {document.name}.\\n\\nadd a line" in said(model)
    shown = frames(server, f"runs/{first['id']}/output", until_type="end")
    kinds = [frame["event"]["type"] for frame in shown if frame["type"] == "output"]
    assert kinds.count("ToolCall") == kinds.count("ToolResult") == 1
    assert "TextBlock" in kinds and kinds[-1] == "AnswerFinished"

    model.script = [Answer(text="Second answer.")]
    second = editor_run(server, name, "and now\ntwo lines, with - a dash", document.name)
    assert second["state"] == "succeeded" and second["result"]["text"] == "Second answer.", second
    assert second["terminal_id"] == first["terminal_id"]
    assert "add a line" in said(model) and "two lines, with - a dash" in said(model)

    with server.client("ada") as client:
        client.post(f"editor/sessions/{first['session_id']}/close", json={}, timeout=20)
    until(lambda: set(processes_below(server.pid)) <= before, what="its processes to be gone")
    model.script = [Answer(text="Third answer.")]
    third = editor_run(server, name, "after closing", document.name, mode="headless")
    assert third["state"] == "succeeded" and third["result"]["text"] == "Third answer.", third
    assert third["usage"]["output_tokens"] == 20, third  # of this run alone, not of the whole session
    assert "add a line" in said(model)  # it remembers


@pytest.mark.parametrize("name", OTHERS)
def test_a_refusal_of_the_model_service_is_told_headless_and_in_a_terminal(
    server: Server, model: ModelServer, name: str
) -> None:
    model.always = Answer(error=401, text="bad key", error_type="invalid_request_error")
    for mode in ("headless", "terminal"):
        path = f"{name}-refused-{mode}.md"
        (server.root / path).write_text("x\n")
        run = editor_run(server, name, "try", path, mode=mode)
        assert run["state"] == "failed" and run["failure"]["kind"] == "not_logged_in", run
        with server.client("ada") as client:
            client.post(f"editor/sessions/{run['session_id']}/close", json={}, timeout=20)


@pytest.mark.parametrize("name", OTHERS)
def test_silence_is_ended_and_no_process_outlives_its_end(server: Server, model: ModelServer, name: str) -> None:
    model.script = [Answer(text="late", delay_seconds=60)]
    before = set(processes_below(server.pid))
    for mode in ("headless", "terminal"):
        asked = len(model.requests)
        with server.client("ada") as client:
            run = server.run(client, "think", wait=0, kind="manual", runtime=name, mode=mode)
            model.wait_for_requests(asked + 1)
            ended = client.post(f"runs/{run['id']}/cancel", json={}, timeout=20).json()
            assert ended["state"] == "cancelled", ended
            if mode == "terminal":  # its CLI stays open
                client.delete(f"terminals/{ended['terminal_id']}", timeout=20).raise_for_status()
        until(lambda: set(processes_below(server.pid)) <= before, what="its processes to be gone")


@pytest.mark.parametrize("mode", ["headless", "terminal"])
@pytest.mark.parametrize(("answer", "word"), [("allow", "written"), ("deny", "untouched")])
def test_a_question_of_pi_is_answered_from_here(
    server: Server, model: ModelServer, mode: str, answer: str, word: str
) -> None:
    """It asks by an extension of ours: over its protocol without a terminal, by a hook that waits in one."""
    document = server.root / f"asked-{mode}-{answer}.md"
    document.write_text("untouched")
    model.script = [write("pi", document, "written"), Answer(text="Well.")]
    with server.browser_client("ada") as person:
        values = {"kind": "editor", "path": document.name, "runtime": "pi", "mode": mode, "permission_mode": "ask"}
        run = server.run(person, "change it", wait=0, **values)
        waiting = {"run_id": run["id"], "state": "waiting"}
        found = until(lambda: person.get("approvals", params=waiting).json()["items"], what="its question")
        asked = found[0]["approval"]
        assert (asked["tool"], asked["in_terminal"]) == ("write", mode == "terminal"), asked
        assert asked["edits"] == [{"path": document.name, "cell": "", "old": "untouched", "new": "written"}]
        reply = person.post(f"approvals/{asked['id']}", json={"option": answer, "note": "My note."})
        assert reply.status_code == 200, reply.text
        until(lambda: person.get(f"runs/{run['id']}").json()["finished_at"], what="its end")
        run = person.get(f"runs/{run['id']}").json()
        assert run["state"] == "succeeded", run
        person.post(f"editor/sessions/{run['session_id']}/close", json={}, timeout=20)
    assert document.read_text() == word
    assert ("My note." in said(model)) == (answer == "deny")


@pytest.mark.parametrize(("answer", "word"), [("proceed_once", "written"), ("cancel", "untouched")])
def test_an_acp_agent_edits_a_document_once_it_is_allowed_to(
    server: Server, model: ModelServer, answer: str, word: str
) -> None:
    document = server.root / f"acp-{answer}.md"
    document.write_text("untouched")
    model.script = [write("gemini", document, "written"), Answer(text="Well.")]
    before = set(processes_below(server.pid))
    with server.browser_client("ada") as person:
        values = {"path": document.name, "runtime": "acp-gemini", "mode": "headless", "permission_mode": "ask"}
        run = server.run(person, "change it", wait=0, kind="editor", **values)
        waiting = {"run_id": run["id"], "state": "waiting"}
        found = until(lambda: person.get("approvals", params=waiting).json()["items"], what="its question")
        asked = found[0]["approval"]
        assert [option["label"] for option in asked["options"]] == ["Allow for this session", "Allow", "Reject"]
        assert asked["edits"] == [{"path": document.name, "cell": "", "old": "untouched", "new": "written"}]
        reply = person.post(f"approvals/{asked['id']}", json={"option": answer})
        assert reply.status_code == 200, reply.text
        until(lambda: person.get(f"runs/{run['id']}").json()["finished_at"], what="its end")
        run = person.get(f"runs/{run['id']}").json()
        assert (run["state"], run["result"]["text"]) == ("succeeded", "Well."), run
        assert document.read_text() == word

        model.script = [Answer(text="Second answer.")]
        del values["mode"], values["permission_mode"]
        again = server.run(person, "and now?", wait=60, kind="editor", **values)
        assert again["state"] == "succeeded", again
        assert "change it" in said(model)  # by its session, or by the history where that is gone
        body = {"kind": "editor", "instruction": "x", **values, "mode": "terminal"}
        assert "cannot work in a terminal" in person.post("runs", json=body).text
    until(lambda: set(processes_below(server.pid)) <= before, what="its processes to be gone")
