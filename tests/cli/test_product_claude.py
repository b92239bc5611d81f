"""The whole product with the real Claude Code CLI: over HTTP against a real server, with the suite's model service."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psutil
import pytest
from harness.server import Server, processes_below, until
from harness.sockets import connect

from jupyter_cabinet.testing.model_script import Answer, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import seed_claude
from .servers import make_server, running_server

pytestmark = pytest.mark.realcli
QUIET_SECONDS = 1.0


def write(path: str, content: str) -> Answer:
    return Answer(tools=(ToolUse(name="Write", arguments={"path": path, "content": content}),))


@pytest.fixture
def model(service: ModelServer) -> ModelServer:
    service.reset()
    return service


@pytest.fixture(scope="module")
def server(service: ModelServer) -> Iterator[Server]:
    with running_server(["claude"], service.url) as server:
        yield server


def editor_run(server: Server, instruction: str, path: str, **fields: Any) -> dict[str, Any]:
    with server.client("ada") as client:
        values = {"kind": "editor", "path": path, "runtime": "claude", "mode": "terminal", **fields}
        return server.run(client, instruction, wait=60, **values)


def close(server: Server, run: dict[str, Any]) -> None:
    with server.client("ada") as client:
        client.post(f"editor/sessions/{run['session_id']}/close", json={}, timeout=20)


def test_claude_is_found_and_is_the_default(server: Server) -> None:
    with server.client("ada") as client:
        health = client.get("health").json()
        entries = {entry["name"]: entry for entry in client.get("runtimes").json()["items"]}
    assert health["default_runtime"] == {"name": "claude", "title": "Claude Code"} and not health["demo"]
    assert entries["claude"]["found"] and entries["claude"]["version"].startswith("2.1.")
    assert entries["claude"]["capabilities"]["finish_signal"] and entries["claude"]["is_default"]


def test_headless_it_answers_with_usage_cost_and_the_session(server: Server, model: ModelServer) -> None:
    document = server.root / "headless.md"
    document.write_text("x\n")
    model.script = [write(str(document), "y\n"), Answer(text="Done it.")]
    run = editor_run(server, "change it", "headless.md", mode="headless")
    assert run["state"] == "succeeded" and run["result"]["text"] == "Done it.", run
    assert document.read_text() == "y\n"
    assert run["usage"]["output_tokens"] == 40 and run["cost_usd"] > 0
    model.script = [Answer(text="Again.")]
    again = editor_run(server, "and again", "headless.md", mode="headless")
    assert again["state"] == "succeeded" and "change it" in json.dumps(model.requests[-1].body["messages"])
    assert 0 < again["cost_usd"] < run["cost_usd"]  # of this run alone, not of the whole session


def test_a_person_types_into_the_open_cli_and_that_is_a_run_of_its_own(server: Server, model: ModelServer) -> None:
    (server.root / "typed.md").write_text("x\n")
    model.script = [Answer(text="First.")]
    first = editor_run(server, "hello", "typed.md")
    model.script = [Answer(text="You typed that.")]

    async def type_it() -> None:
        socket = await connect(server, f"terminals/{first['terminal_id']}/ws")
        await socket.write_message(json.dumps({"type": "attach", "cols": 120, "rows": 30}))
        await socket.write_message(b"typed-by-hand", binary=True)
        await _screen_shows(socket, b"typed-by-hand")
        await socket.write_message(b"\r", binary=True)
        with server.client("ada") as client:
            await asyncio.to_thread(
                until, lambda: len(_runs(client, first)) == 2 and _runs(client, first)[0]["finished_at"]
            )
        socket.close()

    asyncio.run(type_it())
    with server.client("ada") as client:
        typed = _runs(client, first)[0]
    assert (typed["trigger"]["kind"], typed["state"]) == ("terminal", "succeeded"), typed
    assert typed["instruction"] == "typed-by-hand" and typed["result"]["text"] == "You typed that."
    close(server, first)


async def _screen_shows(socket: Any, text: bytes) -> None:
    seen = b""
    async with asyncio.timeout(20):
        while text not in seen:
            message = await socket.read_message()
            assert message is not None
            seen += message if isinstance(message, bytes) else b""


async def _quiet(socket: Any) -> None:
    """Read until the screen stands still: a dialog takes keys only when it is drawn."""
    async with asyncio.timeout(20):
        while True:
            try:
                assert await asyncio.wait_for(asyncio.shield(_next(socket)), QUIET_SECONDS) is not None
            except TimeoutError:
                return


def _next(socket: Any) -> asyncio.Future[Any]:
    """The message that is being waited for: a wait that was given up must not lose it."""
    waiting = getattr(socket, "waiting", None)
    if waiting is None or waiting.done():
        waiting = socket.waiting = asyncio.ensure_future(socket.read_message())
    return waiting


def _runs(client: Any, run: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("runs", params={"session_id": run["session_id"]}).json()["items"]
    return found


def test_keys_are_refused_while_it_works_and_the_end_of_its_session_leaves_no_process(
    server: Server, model: ModelServer
) -> None:
    (server.root / "slow.md").write_text("x\n")
    model.script, asked = [Answer(text="late", delay_seconds=60)], len(model.requests)
    with server.client("ada") as client:
        before = set(processes_below(server.pid))
        run = server.run(client, "think", wait=0, kind="editor", path="slow.md", runtime="claude", mode="terminal")
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "running", what="it to work")
        # a CLI that is still starting is ended, and not interrupted
        until(lambda: len(model.requests) > asked, what="the model to be asked")
        terminal = client.get(f"runs/{run['id']}").json()["terminal_id"]

        async def press() -> str:
            socket = await connect(server, f"terminals/{terminal}/ws")
            await socket.write_message(json.dumps({"type": "attach", "cols": 120, "rows": 30}))
            await socket.write_message(b"x", binary=True)
            async with asyncio.timeout(10):
                while True:
                    message = await socket.read_message()
                    if isinstance(message, str) and json.loads(message)["type"] == "input_rejected":
                        socket.close()
                        return str(json.loads(message)["reason"])

        assert asyncio.run(press()) == "agent_running"
        ended = client.post(f"runs/{run['id']}/cancel", json={}, timeout=20).json()
        assert ended["state"] == "cancelled"
        assert client.get(f"terminals/{terminal}").json()["agent_state"] == "waiting"
        client.post(f"editor/sessions/{run['session_id']}/close", json={}, timeout=20)
    until(lambda: set(processes_below(server.pid)) <= before, what="its processes to be gone")


def test_opened_without_an_instruction_it_waits_is_paused_resumed_and_stopped(
    server: Server, model: ModelServer
) -> None:
    model.script = [Answer(text="You said hello.")]
    before = set(processes_below(server.pid))
    with server.client("ada") as client:
        address = f"terminals/{client.post('terminals', json={'program': 'claude'}).json()['id']}"

        def final(run_id: str) -> dict[str, Any] | None:
            run: dict[str, Any] = client.get(f"runs/{run_id}").json()
            return run if run["finished_at"] else None

        def run_in_it() -> str:
            return str(client.get(address).json()["run_id"])

        until(lambda: client.get(address).json()["agent_state"] == "waiting", seconds=40, what="the CLI")
        opened = run_in_it()
        run = until(lambda: final(opened), what="the run")
        assert (run["state"], run["instruction"]) == ("succeeded", "Opened by Owner")
        asyncio.run(_stands_still(server, address))
        assert client.post(f"{address}/agent/pause", json={}).json()["agent_state"] == "paused"
        assert client.post(f"{address}/agent/resume", json={}).json()["agent_state"] == "waiting"
        asyncio.run(_stands_still(server, address))
        assert client.post(f"{address}/input", json={"text": "hello", "submit": True}).status_code == 204
        until(lambda: run_in_it() != opened, what="the typed run")
        run = until(lambda: final(run_in_it()), what="its end")
        assert (run["state"], run["trigger"]["kind"]) == ("succeeded", "terminal")
        assert (run["instruction"], run["result"]["text"]) == ("hello", "You said hello.")
        assert client.post(f"{address}/agent/stop", json={}).json()["agent_state"] == "stopped"
        assert client.delete(address).status_code == 204
    until(lambda: set(processes_below(server.pid)) <= before, what="its processes to be gone")


async def _stands_still(server: Server, address: str) -> None:
    socket = await connect(server, f"{address}/ws")
    await socket.write_message(json.dumps({"type": "attach", "cols": 120, "rows": 30}))
    await _quiet(socket)
    socket.close()


@pytest.mark.parametrize(("status", "kind"), [(401, "not_logged_in"), (429, "rate_limited")])
def test_a_refusal_of_the_model_service_is_told_apart_headless(
    server: Server, model: ModelServer, status: int, kind: str
) -> None:
    (server.root / "refused.md").write_text("x\n")
    model.always = Answer(error=status, text="no")
    run = editor_run(server, "try", "refused.md", mode="headless")
    assert run["state"] == "failed" and run["failure"]["kind"] == kind, run
    assert run["reason"].startswith("Claude Code") and run["reason"].endswith(".")


def test_a_refusal_of_the_model_service_ends_the_run_in_a_terminal(server: Server, model: ModelServer) -> None:
    (server.root / "refused2.md").write_text("x\n")
    model.always = Answer(error=401, text="invalid x-api-key", error_type="authentication_error")
    run = editor_run(server, "try", "refused2.md")
    assert run["state"] == "failed" and run["failure"]["kind"] == "not_logged_in", run
    close(server, run)


def _kill_claude(server: Server) -> None:
    for pid in processes_below(server.pid):
        with suppress(psutil.NoSuchProcess):  # what it has started may end by itself
            process = psutil.Process(pid)
            if "claude" in "".join(process.cmdline()[:1]):
                process.kill()


def test_a_crash_of_the_cli_is_told_with_what_to_do(server: Server, model: ModelServer) -> None:
    (server.root / "crash.md").write_text("x\n")
    model.script = [Answer(text="late", delay_seconds=60)]
    asked = len(model.requests)
    with server.client("ada") as client:
        run = server.run(client, "think", wait=0, kind="editor", path="crash.md", runtime="claude", mode="terminal")
        model.wait_for_requests(asked + 1)  # it works: the CLI itself runs, not only its launcher
        _kill_claude(server)
        ended = until(lambda: _ended(client, run), what="the end")
    assert ended["state"] == "failed" and ended["failure"]["kind"] == "crashed", ended


def _ended(client: Any, run: dict[str, Any]) -> dict[str, Any] | None:
    found: dict[str, Any] = client.get(f"runs/{run['id']}").json()
    return found if found["finished_at"] else None


def test_a_first_start_dialog_is_shown_as_waiting_and_answered_in_the_terminal(model: ModelServer) -> None:
    """The folder is new to Claude Code: it asks whether the person trusts it."""
    server = make_server(["claude"], model.url)
    seed_claude(server.home, None)
    server.start()
    model.script = [Answer(text="Trusted.")]
    with server.client("ada") as client:
        run = server.run(client, "hello", wait=0, kind="manual", runtime="claude", mode="terminal")
        waiting = until(lambda: _in_state(client, run, "waiting"), what="the question")
        assert "trust" in waiting["reason"].lower()

        async def answer() -> None:
            socket = await connect(server, f"terminals/{waiting['terminal_id']}/ws")
            await socket.write_message(json.dumps({"type": "attach", "cols": 120, "rows": 30}))
            await _quiet(socket)
            await socket.write_message(b"\x1b[B", binary=True)  # the default is "No, exit"
            await _quiet(socket)
            await socket.write_message(b"\r", binary=True)
            await asyncio.to_thread(until, lambda: _ended(client, run), what="the end")
            socket.close()

        asyncio.run(answer())
        ended = _ended(client, run)
    server.stop()
    assert ended is not None and ended["state"] == "succeeded", ended


def _in_state(client: Any, run: dict[str, Any], state: str) -> dict[str, Any] | None:
    found: dict[str, Any] = client.get(f"runs/{run['id']}").json()
    return found if found["state"] == state else None
