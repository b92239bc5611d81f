"""When Cabinet cannot start, JupyterLab does, and says why."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from harness.server import Server, until


@pytest.mark.slow(reason="starts a server of its own")
def test_a_damaged_database_leaves_the_server_up_the_file_alone_and_a_sentence(tmp_path: Path) -> None:
    server = Server(tmp_path).start()
    assert server.stop() == 0
    database = server.root / ".cabinet" / "cabinet.db"
    database.write_bytes(b"this is no database" * 100)
    server.start(ready="api/status")
    with server.client("ada") as client:
        reply = until(lambda: _told(client), what="the reason")
        assert httpx.get(f"{server.url}api/status", headers=client.headers).status_code == 200
    assert "damaged" in reply["error"]["message"] and reply["error"]["kind"] == "unavailable"
    assert database.read_bytes().startswith(b"this is no database")
    assert server.stop() == 0


def _told(client: httpx.Client) -> dict[str, dict[str, str]] | None:
    """What health says once Cabinet has given up starting."""
    reply = client.get("health")
    body: dict[str, dict[str, str]] = reply.json()
    return body if reply.status_code == 503 and "starting" not in body["error"]["message"] else None
