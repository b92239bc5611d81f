"""A whole server whose records are in PostgreSQL: made from nothing, used, and used again after a restart."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness.postgres import Postgres
from harness.server import Server, until
from harness.sockets import BOUND_SECONDS, connect


@pytest.mark.slow(reason="starts a server twice")
def test_runs_questions_agents_plans_and_events_are_kept_in_postgresql_across_a_restart(
    tmp_path: Path, postgres: Postgres
) -> None:
    url = postgres.new_database().render_as_string(hide_password=False)
    server = Server(tmp_path, arguments=("--CabinetApp.trust=always", f"--CabinetApp.db_url={url}")).start()
    with server.browser_client("ada") as client:
        done = server.run(client, "hello")
        asked = _asks_first(server, client)
        agent, beat = _agent_at_work(client)
        plan = _plan_that_stops_halfway(client)
        refused = client.post("runs", json={"kind": "manual", "runtime": "demo", "instruction": "a\0b"})
    assert (done["state"], asked["state"], beat["state"]) == ("succeeded", "succeeded", "succeeded")
    assert refused.status_code == 400 and "instruction: the text contains a NUL" in refused.json()["error"]["message"]
    assert server.stop() == 0
    assert not list(server.root.rglob("cabinet.db*")), server.log
    assert "psycopg" not in server.log, server.log[-6000:]

    server.start()
    with server.browser_client("ada") as client:
        listed = {run["id"]: run["state"] for run in client.get("runs").json()["items"]}
        ours = {run["id"]: "succeeded" for run in (done, asked, beat)}
        assert listed == ours | {run["run_id"]: run["state"] for step in plan["steps"] for run in step["runs"]}
        kept = client.get(f"plans/{plan['id']}").json()
        assert [kept[name] for name in ("state", "reason", "steps")] == [
            plan[name] for name in ("state", "reason", "steps")
        ]
        client.post(f"plans/{plan['id']}/steps/{plan['steps'][1]['id']}/skip")
        client.post(f"plans/{plan['id']}/run")
        assert [step["state"] for step in _rested(client, plan)["steps"]] == ["done", "skipped", "done"]
        assert [run["id"] for run in client.get("runs", params={"q": "HELLO"}).json()["items"]] == [done["id"]]
        found = client.get("approvals", params={"run_id": asked["id"]}).json()["items"]
        assert [item["approval"]["outcome"] for item in found] == ["Allowed once"]
        assert [each["slug"] for each in client.get("agents").json()["items"]] == [agent]
        assert client.get("activity").json()["items"]
        again = server.run(client, "hello")
        assert again["state"] == "succeeded" and again["number"] > max(done["number"], asked["number"])
    numbers = asyncio.run(_numbers_of_events(server, until_end_of=again["id"]))
    assert numbers == sorted(set(numbers)) and numbers[0] == 1
    assert server.stop() == 0
    assert "psycopg" not in server.log, server.log[-6000:]


async def _numbers_of_events(server: Server, *, until_end_of: str) -> list[int]:
    """Of all events from the first on."""
    socket = await connect(server, "events?since=0")
    numbers: list[int] = []
    async with asyncio.timeout(BOUND_SECONDS):
        while message := await socket.read_message():
            frame = json.loads(message)
            if frame["type"] != "event":
                continue
            numbers.append(frame["seq"])
            if frame["event"]["type"] == "run_finished" and frame["event"]["run"]["id"] == until_end_of:
                break
    socket.close()
    return numbers


def _plan_that_stops_halfway(client: httpx.Client) -> dict[str, Any]:
    steps = [
        {"key": "a", "title": "First", "prompt": "reply with the single word plum"},
        {"key": "b", "title": "Fails", "prompt": "fail", "depends_on": ["a"], "retries": 0},
        {"title": "Last", "command": ["true"], "depends_on": ["b"]},
    ]
    plan = client.post("plans", json={"title": "Halfway", "runtime": "demo", "steps": steps}).json()
    client.post(f"plans/{plan['id']}/run")
    return _rested(client, plan)


def _rested(client: httpx.Client, plan: dict[str, Any]) -> dict[str, Any]:
    def rests() -> dict[str, Any] | None:
        found: dict[str, Any] = client.get(f"plans/{plan['id']}").json()
        return None if found["state"] == "running" or found["counts"]["running"] else found

    return until(rests, seconds=60)


def _asks_first(server: Server, client: httpx.Client) -> dict[str, Any]:
    """A run that asks before it edits, and is allowed to."""
    (server.root / "page.md").write_text("# Page\n")
    fields = {"kind": "editor", "path": "page.md", "permission_mode": "ask", "mode": "headless"}
    run = server.run(client, "append: one", wait=0, **fields)
    wanted = {"run_id": run["id"], "state": "waiting"}
    item = until(lambda: client.get("approvals", params=wanted).json()["items"], what="its question")[0]
    assert client.post(f"approvals/{item['approval']['id']}", json={"option": "allow"}).status_code == 200
    return _final(client, run["id"])


def _agent_at_work(client: httpx.Client) -> tuple[str, dict[str, Any]]:
    """A new agent, and one heartbeat of it."""
    made = client.post("agents", json={"slug": "bo", "template": "research", "fields": {"runtime": "demo"}})
    assert made.status_code == 201, made.text
    started = client.post("agents/bo/run", json={})
    assert started.status_code in (200, 201), started.text
    return "bo", _final(client, started.json()["id"])


def _final(client: httpx.Client, run_id: str) -> dict[str, Any]:
    final: dict[str, Any] = until(
        lambda: (now := client.get(f"runs/{run_id}").json())["finished_at"] and now, what="the run's end"
    )
    return final
