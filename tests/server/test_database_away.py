"""PostgreSQL refuses connections while an agent works: requests fail soon and clearly, and nothing is lost."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness.postgres import Postgres
from harness.server import Server, until

AWAY_SECONDS = 6.0
BOUND_SECONDS = 5.0  # of one request
READS = ("runs", "approvals", "agents", "activity", "plans", "switch", "channels", "editor/sessions")


@pytest.mark.slow(reason="starts a server")
def test_while_the_database_is_away_requests_say_so_terminals_work_and_the_run_ends_on_record(
    tmp_path: Path, postgres: Postgres
) -> None:
    url = postgres.new_database()
    arguments = ("--CabinetApp.trust=always", f"--CabinetApp.db_url={url.render_as_string(hide_password=False)}")
    server = Server(tmp_path, arguments=arguments).start()
    accepted = []
    with server.client("ada") as client:
        terminal = client.post("terminals", json={"name": "shell"}).json()
        run = server.run(client, "sleep 2", wait=0)
        accepted.append(run["id"])
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "running", what="it to work")
        with postgres.refusing_connections(url):
            end = time.monotonic() + AWAY_SECONDS
            while time.monotonic() < end:
                for path in READS:
                    _is_refused(lambda path=path: client.get(path))
                _is_refused(lambda: client.post("runs", json={"kind": "manual", "runtime": "demo", "instruction": "x"}))
                _types(server, client, terminal["id"])
            assert client.get("health").status_code == 200
        until(lambda: client.get("runs").status_code == 200, what="the database")
        ended = client.get(f"runs/{run['id']}", params={"wait": 20}).json()
        assert (ended["state"], bool(ended["finished_at"])) == ("succeeded", True)
        assert ended["result"]["text"] and client.get(f"runs/{run['id']}/output").text.count("\n") > 1
        after = server.run(client, "hello")
        assert after["state"] == "succeeded"
        assert {each["id"] for each in client.get("runs").json()["items"]} == {*accepted, after["id"]}
    assert server.stop() == 0
    assert "Traceback" not in server.log, server.log[-8000:]


def _is_refused(request: Any) -> None:
    begin = time.monotonic()
    reply: httpx.Response = request()
    assert time.monotonic() - begin < BOUND_SECONDS
    message = reply.json()["error"]["message"]
    assert reply.status_code == 503, (reply.url, reply.text)
    assert "Try again in a moment." in message and "\n" not in message


def _types(server: Server, client: httpx.Client, terminal_id: str) -> None:
    file = server.root / f"typed-{time.monotonic_ns()}"
    typed = client.post(f"terminals/{terminal_id}/input", json={"text": f"touch {file}\r"})
    assert typed.status_code < 300, typed.text
    until(file.exists, seconds=5, what="the shell")
