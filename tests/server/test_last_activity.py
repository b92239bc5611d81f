"""What keeps a server up that stops when it is idle, and what JupyterHub reads from it."""

from __future__ import annotations

import sqlite3
import sys
import time
from pathlib import Path

import httpx
import pytest
from harness.server import SHARED_TOKEN, LabServer, Server

IDLE_SECONDS = 3
WORK_SECONDS = 9
IDLE_LAB = (sys.executable, "-m", "harness.idle_lab")
ARGUMENTS = ("--CabinetApp.trust=always", f"--ServerApp.shutdown_no_activity_timeout={IDLE_SECONDS}")


def last_activity(server: Server) -> str:
    """As JupyterHub's culler and others read it."""
    reply = httpx.get(f"{server.url}api/status", headers={"Authorization": f"token {SHARED_TOKEN}"})
    assert reply.status_code == 200
    return str(reply.json()["last_activity"])


@pytest.mark.long(reason="waits until a server counts as idle")
def test_a_server_that_stops_when_idle_lets_a_run_end_first_and_stops_then(tmp_path: Path) -> None:
    server = LabServer(tmp_path, arguments=ARGUMENTS, command=IDLE_LAB).start()
    with server.client("owner") as client:
        assert client.get("health").json()["idle_stop_seconds"] == IDLE_SECONDS
        run = server.run(client, f"sleep {WORK_SECONDS}", wait=0)
    begun = time.monotonic()
    (tmp_path / "look").touch()
    server.ended(WORK_SECONDS + 60)
    assert time.monotonic() - begun >= WORK_SECONDS
    with sqlite3.connect(server.root / ".cabinet/cabinet.db") as database:
        assert database.execute("SELECT state FROM runs WHERE id = ?", [run["id"]]).fetchone() == ("succeeded",)


def test_a_request_to_a_route_of_ours_is_activity_and_one_without_a_login_is_none(shared_server: Server) -> None:
    before = last_activity(shared_server)
    with shared_server.client(None) as stranger:
        assert stranger.get("health").status_code in (401, 403)
    with shared_server.client("owner") as client:
        assert client.get("health", params={"no_track_activity": "1"}).status_code == 200
        assert last_activity(shared_server) == before
        assert client.get("health").json()["idle_stop_seconds"] is None
    assert last_activity(shared_server) > before
