"""A cabinet that has worked on SQLite continues on PostgreSQL after `jupyter cabinet database copy`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from harness.postgres import Postgres
from harness.server import Server

ARGUMENTS = ("--CabinetApp.trust=always",)


@pytest.mark.long(reason="tests/unit/storage/test_database_copy.py copies every row in the quick tier")
@pytest.mark.slow(reason="starts two servers")
def test_a_cabinet_moves_to_postgresql_only_while_its_server_is_stopped(tmp_path: Path, postgres: Postgres) -> None:
    url = postgres.new_database().render_as_string(hide_password=False)
    server = Server(tmp_path, arguments=ARGUMENTS).start()
    with server.browser_client("ada") as client:
        run = client.get(f"runs/{server.run(client, 'hello')['id']}").json()
        made = client.post("agents", json={"slug": "bo", "template": "research", "fields": {"runtime": "demo"}})
        assert made.status_code == 201, made.text
        refused = _copy(server, url)
        assert refused.returncode == 1 and f"(process {server.pid})" in refused.stderr, refused.stderr
        assert "The source was not changed." in refused.stderr
    assert server.stop() == 0
    done = _copy(server, url)
    assert done.returncode == 0, done.stderr
    assert "runs: 1" in done.stdout and "Copied and compared" in done.stdout

    moved = Server(tmp_path, arguments=(*ARGUMENTS, f"--CabinetApp.db_url={url}")).start()
    with moved.browser_client("ada") as client:
        assert client.get(f"runs/{run['id']}").json() == run
        assert [each["slug"] for each in client.get("agents").json()["items"]] == ["bo"]
        after = moved.run(client, "hello")
        assert after["state"] == "succeeded" and after["number"] > run["number"]
    assert moved.stop() == 0


def _copy(server: Server, url: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "jupyter_cabinet.cli", "database", "copy", "--to", url, "--root", str(server.root)],
        env=server.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
