"""What was open when a right or a login was taken away: it ends within seconds, and nothing more goes through it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from harness.deaf import BINARY, Deaf
from harness.server import RIGHTS, WORKING, Server, until
from harness.sockets import BOUND_SECONDS, connect
from tornado.websocket import WebSocketClientConnection

CLOSED_WITHIN_SECONDS = 8  # five are promised; a busy machine may take longer
LOST_RIGHT = 4403
ANSWER_COUNTS_SECONDS = 1  # about rights, where something is typed
TORNADO_WAITS_SECONDS = 5  # for the answer to a close
SILENT = "did not answer whether ada is still logged in"
WAITS = "connections are asked for their rights every 3 s"


@contextmanager
def taken(server: Server, **rights: list[str] | None) -> Iterator[None]:
    """Other rights for a while. None: no login."""
    server.set_rights({**RIGHTS, **rights})
    try:
        yield
    finally:
        server.set_rights(RIGHTS)


@pytest.fixture
def working(people_server: Server) -> Iterator[dict[str, str]]:
    """A private run of Ada's that works in a terminal."""
    name = "works.md"
    (people_server.root / name).write_text("# Page\n")
    with people_server.client("ada") as ada:
        run = people_server.run(ada, "sleep 600", kind="editor", path=name, mode="terminal", wait=0)
        started = until(lambda: _in_terminal(ada.get(f"runs/{run['id']}").json()), what="its terminal")
        assert started["visibility"] == "private"
        yield {"run": run["id"], "terminal": started["terminal_id"]}
        ada.post(f"editor/sessions/{run['session_id']}/close", json={})  # a cancelled run leaves its CLI open


def _in_terminal(run: dict[str, Any]) -> dict[str, Any] | None:
    return run if run["terminal_id"] and run["state"] == "running" else None


async def until_closed(socket: WebSocketClientConnection) -> int | None:
    async with asyncio.timeout(CLOSED_WITHIN_SECONDS):
        while await socket.read_message() is not None:
            pass
    return socket.close_code


async def attached(server: Server, terminal: str, username: str) -> WebSocketClientConnection:
    socket = await connect(server, f"terminals/{terminal}/ws", username=username)
    await socket.write_message(json.dumps({"type": "attach", "cols": 80, "rows": 24}))
    assert json.loads(await socket.read_message() or "")["type"] == "hello"
    return socket


@pytest.mark.long(reason="waits for a right to be asked for again")
def test_who_is_no_administrator_any_more_is_told_nothing_more_of_others(
    people_server: Server, working: dict[str, str]
) -> None:
    async def watch() -> set[str]:
        output = await connect(people_server, f"runs/{working['run']}/output", username="root")
        terminal = await attached(people_server, working["terminal"], "root")
        events = await connect(people_server, "events", username="root")
        with taken(people_server, root=WORKING):
            assert await until_closed(output) == LOST_RIGHT
            assert await until_closed(terminal) == LOST_RIGHT
            async with asyncio.timeout(BOUND_SECONDS):
                while json.loads(await events.read_message() or "")["type"] != "reset":
                    pass
                await asyncio.to_thread(_run_as, people_server, "ada")
                own = await asyncio.to_thread(_run_as, people_server, "root")
                return await _owners_until(events, own)

    assert asyncio.run(watch()) == {"root"}


def _run_as(server: Server, username: str) -> str:
    with server.client(username) as client:
        return str(server.run(client, "hello")["id"])


async def _owners_until(events: WebSocketClientConnection, run_id: str) -> set[str]:
    """The owners of all runs in the events up to this run's end."""
    owners = set()
    while True:
        event = json.loads(await events.read_message() or "").get("event", {})
        if "run" in event:
            owners.add(event["run"]["owner"])
            if event["type"] == "run_finished" and event["run"]["id"] == run_id:
                events.close()
                return owners


@pytest.mark.slow(reason=WAITS)
def test_a_withdrawn_login_ends_everything_that_was_open_with_it_and_it_may_come_back(
    people_server: Server, working: dict[str, str], tmp_path: Path
) -> None:
    typed = tmp_path / "typed"
    with people_server.client("ada") as ada:
        shell = ada.post("terminals", json={"command": ["/bin/sh"]}).json()["id"]

    async def watch() -> None:
        sockets = [
            await connect(people_server, "events"),
            await connect(people_server, f"runs/{working['run']}/output"),
            await attached(people_server, shell, "ada"),
        ]
        with taken(people_server, ada=None):
            assert [await until_closed(each) for each in sockets] == [LOST_RIGHT] * 3
        again = await attached(people_server, shell, "ada")
        await again.write_message(json.dumps({"type": "request_control"}))
        await again.write_message(f"touch {typed}\r".encode(), binary=True)
        await asyncio.to_thread(until, typed.exists, what="what was typed by who is back")
        again.close()

    asyncio.run(watch())
    with people_server.client("ada") as ada:
        assert ada.delete(f"terminals/{shell}").status_code == 204


@pytest.mark.slow(reason=WAITS)
def test_who_does_not_go_when_the_login_was_withdrawn_types_nothing_more(people_server: Server, tmp_path: Path) -> None:
    with people_server.client("ada") as ada:
        shell = ada.post("terminals", json={"command": ["/bin/sh"]}).json()["id"]
        with Deaf(people_server, f"terminals/{shell}/ws") as client:
            client.say(b'{"type": "attach", "cols": 80, "rows": 24}')
            client.say(f"touch {tmp_path}/before\r".encode(), BINARY)
            until((tmp_path / "before").exists)
            with taken(people_server, ada=None):
                typed = _type_until_given_up(client, tmp_path)
        ada.post(f"terminals/{shell}/input", json={"text": f"touch {tmp_path}/after", "submit": True})
        until((tmp_path / "after").exists)
        ada.delete(f"terminals/{shell}")
    late = {f"second-{second}" for second in typed if second > ANSWER_COUNTS_SECONDS}
    assert late and not late & {path.name for path in tmp_path.iterdir()}


def _type_until_given_up(client: Deaf, folder: Path) -> set[int]:
    """In which seconds since now something was typed: each makes a file."""
    began, typed = time.monotonic(), set()
    while (now := time.monotonic() - began) < CLOSED_WITHIN_SECONDS + TORNADO_WAITS_SECONDS:
        try:
            client.say(f"touch {folder}/second-{int(now)}\r".encode(), BINARY)
        except OSError:
            return typed
        typed.add(int(now))
        time.sleep(0.02)  # typing takes time, too
    raise AssertionError("the server has not given it up")


@pytest.mark.long(reason="waits for a right to be asked for again")
def test_a_silent_identity_provider_takes_nothing_away(people_server: Server) -> None:
    async def watch() -> None:
        events = await connect(people_server, "events")
        said = people_server.log.count(SILENT)
        with taken(people_server, everybody=["is unknown"]):
            await asyncio.to_thread(until, lambda: people_server.log.count(SILENT) > said + 1, what="two attempts")
        run = await asyncio.to_thread(_run_as, people_server, "ada")
        async with asyncio.timeout(BOUND_SECONDS):
            assert "ada" in await _owners_until(events, run)

    asyncio.run(watch())


@pytest.mark.slow(reason=WAITS)
def test_who_reads_lines_and_may_not_any_more_gets_no_end(people_server: Server, working: dict[str, str]) -> None:
    with people_server.client("root") as root, root.stream("GET", f"runs/{working['run']}/output") as reply:
        lines = reply.iter_lines()
        assert json.loads(next(lines))["event"]["type"] == "SessionStarted"
        began = time.monotonic()
        with taken(people_server, root=WORKING):
            rest = [json.loads(line) for line in lines if line]
        assert time.monotonic() - began < CLOSED_WITHIN_SECONDS
        assert all(record["type"] == "output" for record in rest)


def test_who_may_no_longer_execute_does_not_change_what_a_running_plan_executes(people_server: Server) -> None:
    (people_server.root / "plan").mkdir()
    first = {"key": "a", "title": "a", "command": ["sleep", "600"]}
    second = {"title": "b", "command": ["true"], "depends_on": ["a"]}
    with people_server.client("ada") as ada:
        plan = ada.post("plans", json={"title": "Plan", "cwd": "plan", "steps": [first, second]}).json()
        path, (a, b) = f"plans/{plan['id']}", [each["id"] for each in plan["steps"]]
        assert ada.post(f"{path}/run").status_code == 200
        with taken(people_server, ada=[right for right in WORKING if right != "cabinet-runs:execute"]):
            edited = {"title": "b", "command": ["touch", "planted.txt"], "depends_on": [a]}
            assert ada.put(f"{path}/steps/{b}", json=edited).status_code == 403
            halves = {"steps": [{"title": "c"}, {"title": "d", "command": ["touch", "planted.txt"]}]}
            for act, body in (("split", halves), ("skip", {}), ("reset", {}), ("report", {"status": "done"})):
                assert ada.post(f"{path}/steps/{b}/{act}", json=body).status_code == 403, act
            assert ada.delete(f"{path}/steps/{b}").status_code == 403
        ada.post(f"{path}/steps/{b}/reset")
        running = until(lambda: ada.get(path).json()["steps"][0]["run_id"], what="its run")
        ada.post(f"runs/{running}/cancel")
