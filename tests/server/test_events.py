"""The event stream: in order, from any number on, filtered by what the reader may see."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from harness.server import RIGHTS, Server, until
from harness.sockets import BOUND_SECONDS, connect, frames


def test_a_run_tells_its_life_in_order(shared_server: Server) -> None:
    async def watch() -> list[str]:
        socket = await connect(shared_server, "events")
        hello = json.loads(await socket.read_message() or "")
        assert hello["type"] == "hello"
        run = await asyncio.to_thread(_start, shared_server)
        told: list[str] = []
        async with asyncio.timeout(20):
            while "run_finished" not in told:
                frame = json.loads(await socket.read_message() or "")
                if frame["event"].get("run", {}).get("id") == run["id"]:
                    told.append(frame["event"]["type"])
        socket.close()
        return told

    told = asyncio.run(watch())
    assert told[0] == "run_queued" and told[-1] == "run_finished" and "run_started" in told


def _start(server: Server) -> dict[str, Any]:
    with server.client("ada") as client:
        return server.run(client, "hello", wait=0)


def test_a_reader_goes_on_where_it_stopped_and_a_number_from_nowhere_gets_a_reset(shared_server: Server) -> None:
    with shared_server.client("ada") as client:
        run = shared_server.run(client, "hello")
    found = _until_finished(shared_server, run["id"], since=0)
    numbers = [frame["seq"] for frame in found]
    assert numbers == sorted(set(numbers))
    again = _until_finished(shared_server, run["id"], since=numbers[-2])
    assert again == found[-1:]
    assert frames(shared_server, "events?since=999999999", until_type="reset")[-1]["type"] == "reset"


def _until_finished(server: Server, run_id: str, *, since: int) -> list[dict[str, Any]]:
    async def read() -> list[dict[str, Any]]:
        socket = await connect(server, f"events?since={since}")
        found: list[dict[str, Any]] = []
        async with asyncio.timeout(20):
            while True:
                frame = json.loads(await socket.read_message() or "")
                if frame["type"] != "event":
                    continue
                found.append(frame)
                event = frame["event"]
                if event["type"] == "run_finished" and event["run"]["id"] == run_id:
                    socket.close()
                    return found

    return asyncio.run(read())


def test_events_of_private_runs_reach_only_who_may_see_them(people_server: Server) -> None:
    async def watch() -> tuple[set[str], set[str]]:
        ada, ben = await connect(people_server, "events"), await connect(people_server, "events", username="ben")
        adas_run = await asyncio.to_thread(_run_as, people_server, "ada")
        bens_run = await asyncio.to_thread(_run_as, people_server, "ben")
        return await _owners_until(ada, adas_run), await _owners_until(ben, bens_run)

    assert asyncio.run(watch()) == ({"ada"}, {"ben"})


def _run_as(server: Server, username: str) -> str:
    with server.client(username) as client:
        found: str = server.run(client, "hello")["id"]
        return found


def test_others_learn_in_which_document_an_agent_works_and_nothing_else(people_server: Server) -> None:
    root = people_server.root
    (root / "worked-on.md").write_text("# Page\n")

    async def watch() -> list[dict[str, Any]]:
        socket = await connect(people_server, "events?kinds=document_work_changed", username="ben")
        await socket.read_message()
        with people_server.client("ada") as ada, people_server.client("ben") as ben:
            order = "wait for the file work-may-end\nappend: a secret"
            run = await asyncio.to_thread(
                people_server.run, ada, order, kind="editor", path="worked-on.md", mode="headless", wait=0
            )
            told = [json.loads(await socket.read_message() or "")["event"]]
            shown = (await asyncio.to_thread(ben.get, "editor/work")).json()["items"]
            item = {"run_id": run["id"], "path": "worked-on.md", "by": "Ada Lind", "agent": "Demo agent"}
            assert [each for each in shown if each["run_id"] == run["id"]] == [item]
            for name in ("ada", "root"):  # who may see the run itself
                with people_server.client(name) as reader:
                    rows = (await asyncio.to_thread(reader.get, "editor/work")).json()["items"]
                    assert run["id"] not in [each["run_id"] for each in rows]
            assert ben.get(f"runs/{run['id']}").status_code == 404
            (root / "work-may-end").touch()
            told.append(json.loads(await socket.read_message() or "")["event"])
            assert run["id"] not in (await asyncio.to_thread(ben.get, "editor/work")).text
        socket.close()
        return told

    async def bounded() -> list[dict[str, Any]]:
        async with asyncio.timeout(BOUND_SECONDS):
            return await watch()

    assert asyncio.run(bounded()) == [{"type": "document_work_changed"}] * 2


async def _owners_until(socket: Any, run_id: str) -> set[str]:
    owners = set()
    async with asyncio.timeout(20):
        while True:
            event = json.loads(await socket.read_message()).get("event", {})
            if "run" in event:
                owners.add(event["run"]["owner"])
                if event["type"] == "run_finished" and event["run"]["id"] == run_id:
                    socket.close()
                    return owners


@pytest.mark.slow(reason="connections are asked for their rights every 3 s")
def test_questions_reach_only_who_may_read_them_and_a_right_that_comes_or_goes_is_told(people_server: Server) -> None:
    (people_server.root / "asks.md").write_text("# Page\n")
    less = {**RIGHTS, "ada": [right for right in RIGHTS["ada"] if right != "cabinet-approvals:read"]}

    async def watch() -> list[str]:
        people_server.set_rights(less)
        socket = await connect(people_server, "events")
        told: list[str] = []
        async with asyncio.timeout(BOUND_SECONDS):
            await asyncio.to_thread(_ask, people_server)
            while "run_finished" not in told:
                told.append(await _told(socket))
            people_server.set_rights(RIGHTS)
            while told[-1] != "reset":
                told.append(await _told(socket))
            await asyncio.to_thread(_ask, people_server)
            while "approval_closed" not in told:
                told.append(await _told(socket))
        socket.close()
        return told

    try:
        told = asyncio.run(watch())
    finally:
        people_server.set_rights(RIGHTS)
    before, after = told[: told.index("reset")], told[told.index("reset") :]
    assert "run_waiting" in before and "approval_requested" not in before and "approval_closed" not in before
    assert "approval_requested" in after


async def _told(socket: Any) -> str:
    frame = json.loads(await socket.read_message() or "")
    return str(frame["event"]["type"] if frame["type"] == "event" else frame["type"])


def _ask(server: Server) -> None:
    """A run that asks, and is cancelled then."""
    about = {"kind": "editor", "path": "asks.md", "permission_mode": "ask", "mode": "headless", "wait": 0}
    with server.client("ada") as client:
        run = server.run(client, "append: x", **about)
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "waiting", what="its question")
        client.post(f"runs/{run['id']}/cancel", json={})
