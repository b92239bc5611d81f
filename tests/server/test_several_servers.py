"""Two servers on one folder and one PostgreSQL: each shows what happens at the other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest
from harness.postgres import Postgres
from harness.server import Server, until
from harness.sockets import BOUND_SECONDS, connect
from sqlalchemy import URL, create_engine

pytestmark = pytest.mark.slow(reason="starts two servers")


class Two(NamedTuple):
    """Two servers, and their database."""

    one: Server
    two: Server
    url: URL


@pytest.fixture(scope="module")
def both(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    url = postgres.new_database()
    arguments = ("--CabinetApp.trust=always", f"--CabinetApp.db_url={url.render_as_string(hide_password=False)}")
    place = tmp_path_factory.mktemp("servers")
    one = Server(place / "one", arguments=arguments).start()
    # the confirmations of people belong to the folder, so both use the same ones
    shared = {"JUPYTER_DATA_DIR": str(one.place / "data")}
    two = Server(place / "two", arguments=arguments, environment=shared)
    two.root = one.root
    two.start()
    yield Two(one, two, url)
    assert (two.stop(), one.stop()) == (0, 0)


def test_the_events_of_a_run_arrive_at_the_other_server_in_order_although_every_connection_breaks(
    both: Two, postgres: Postgres
) -> None:
    async def watch() -> list[tuple[int, str]]:
        socket = await connect(both.two, "events")
        assert json.loads(await socket.read_message() or "")["type"] == "hello"
        for breaks in (False, True, False):
            runs = [await asyncio.to_thread(_start, both.one, "hello"), await asyncio.to_thread(_start, both.two, "x")]
            if breaks:
                await asyncio.to_thread(postgres.end_connections, both.url)
            wanted = {run["id"] for run in runs}
            async with asyncio.timeout(BOUND_SECONDS):
                while wanted:
                    frame = json.loads(await socket.read_message() or "")
                    seen.append((frame["seq"], frame["event"]["type"]))
                    if frame["event"]["type"] == "run_finished":
                        wanted.discard(frame["event"]["run"]["id"])
        socket.close()
        return seen

    seen: list[tuple[int, str]] = []
    asyncio.run(watch())
    engine = create_engine(both.url)
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT seq, type FROM events ORDER BY seq").all()
    engine.dispose()
    first, last = seen[0][0], seen[-1][0]
    assert seen == [(row.seq, row.type) for row in rows if first <= row.seq <= last]
    assert len([each for each in seen if each[1] == "run_finished"]) == 6


def _start(server: Server, instruction: str, **fields: Any) -> dict[str, Any]:
    with server.client("ada") as client:
        return server.run(client, instruction, wait=0, **fields)


def test_a_run_is_watched_to_its_end_at_the_other_server_which_names_the_one_that_can_stop_it(both: Two) -> None:
    run = _start(both.one, "sleep 3")
    path = f"runs/{run['id']}"
    with both.two.client("ada") as there, both.one.client("ada") as here:
        until(lambda: there.get(path).json()["state"] == "running", what="its record")
        refused = there.post(f"{path}/cancel", json={})
        assert (refused.status_code, refused.json()["error"]["kind"]) == (409, "on_another_server")
        assert f"(process {both.one.pid})" in refused.json()["error"]["message"]
        assert _output(there, run) == (output := _output(here, run)) and output
        assert there.get(path, params={"wait": 20}).json()["state"] == "succeeded"
        assert there.post(f"{path}/cancel", json={}).json()["error"]["kind"] == "already_final"


def _output(client: httpx.Client, run: dict[str, Any]) -> list[dict[str, Any]]:
    """The records that a disk keeps, read until the run has ended."""
    lines = client.get(f"runs/{run['id']}/output").text.splitlines()
    return [line for line in map(json.loads, lines) if line.get("event", {}).get("type") not in (None, "text_delta")]


def test_a_question_is_shown_at_both_servers_and_answered_at_its_own(both: Two) -> None:
    (both.one.root / "page.md").write_text("# Page\n")
    fields = {"kind": "editor", "path": "page.md", "permission_mode": "ask", "mode": "headless"}
    run = _start(both.one, "append: one", **fields)
    wanted = {"run_id": run["id"], "state": "waiting"}
    with both.two.client("ada") as there, both.one.client("ada") as here:
        item = until(lambda: there.get("approvals", params=wanted).json()["items"], what="its question")[0]
        path = f"approvals/{item['approval']['id']}"
        here_item = here.get("approvals", params=wanted).json()["items"][0]
        assert (item["may_answer"], here_item["server"]) == (False, "")
        assert item["server"].endswith(f"(process {both.one.pid})")
        with both.two.browser_client("ada") as browser:
            refused = browser.post(path, json={"option": "allow"})
        assert refused.status_code == 409 and f"(process {both.one.pid})" in refused.json()["error"]["message"]
        with both.one.browser_client("ada") as browser:
            assert browser.post(path, json={"option": "allow"}).status_code == 200
        assert there.get(f"runs/{run['id']}", params={"wait": 20}).json()["state"] == "succeeded"
        assert there.get(path).json() == here.get(path).json()


def test_an_agent_that_works_at_one_server_is_at_work_at_the_other(both: Two) -> None:
    with both.two.browser_client("ada") as there, both.one.browser_client("ada") as here:
        made = here.post("agents", json={"slug": "bo", "template": "research", "fields": {"runtime": "demo"}})
        assert made.status_code == 201, made.text
        started = here.post("runs", json={"kind": "message", "agent": "bo", "instruction": "sleep 3"})
        assert started.status_code == 201, started.text
        run = started.json()
        until(lambda: here.get(f"runs/{run['id']}").json()["state"] == "running", what="it to work")
        states = [
            next(a for a in c.get("agents").json()["items"] if a["slug"] == "bo")["status"] for c in (here, there)
        ]
        assert states == ["working", "working"]
        assert there.delete("agents/bo").status_code == 409
        assert there.get(f"runs/{run['id']}", params={"wait": 20}).json()["finished_at"]


def test_a_terminal_appears_only_where_it_can_be_opened(both: Two) -> None:
    async def watch() -> list[list[str]]:
        sockets = [await connect(server, "events") for server in both[:2]]
        with both.one.client("ada") as client:
            made = (await asyncio.to_thread(client.post, "terminals", json={"name": "here"})).json()
            here = await _terminal_events(sockets[0], "terminal_opened")
            await asyncio.to_thread(client.delete, f"terminals/{made['id']}")
        return [here, *[await _terminal_events(socket, "terminal_closed") for socket in sockets]]

    opened, closed, there = asyncio.run(watch())
    assert opened == ["terminal_opened"] and closed[-1] == "terminal_closed" and there == ["terminal_closed"]


async def _terminal_events(socket: Any, until_type: str) -> list[str]:
    types: list[str] = []
    async with asyncio.timeout(BOUND_SECONDS):
        while until_type not in types:
            types.append(json.loads(await socket.read_message() or "").get("event", {}).get("type", ""))
    return [each for each in types if each.startswith("terminal_")]
