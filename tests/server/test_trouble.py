"""When Cabinet cannot start, JupyterLab does, and says why."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from harness.examples import cases
from harness.server import Server, until


@pytest.mark.long(reason="test_database_away.py tries a database that cannot be reached in the quick tier")
@pytest.mark.slow(reason="starts a server three times")
@pytest.mark.parametrize(("content", "said"), cases((b"this is no database" * 100, "damaged"), (b"", "is empty")))
def test_a_database_that_is_lost_leaves_the_server_up_the_file_alone_and_a_sentence_until_it_is_back(
    tmp_path: Path, content: bytes, said: str
) -> None:
    server = Server(tmp_path).start()
    with server.client("ada") as client:
        run = server.run(client, "hello")
    assert server.stop() == 0
    database = server.root / ".cabinet" / "cabinet.db"
    kept = database.read_bytes()
    database.write_bytes(content)
    server.start(ready="api/status")
    with server.client("ada") as client:
        reply = until(lambda: _told(client), what="the reason")
        assert httpx.get(f"{server.url}api/status", headers=client.headers).status_code == 200
    assert said in reply["error"]["message"] and reply["error"]["kind"] == "unavailable"
    assert server.stop() == 0
    assert database.read_bytes() == content
    database.write_bytes(kept)
    server.start()
    with server.client("ada") as client:
        assert client.get(f"runs/{run['id']}").json()["state"] == "succeeded"
        assert server.run(client, "hello")["state"] == "succeeded"
    assert server.stop() == 0


def _told(client: httpx.Client) -> dict[str, dict[str, str]] | None:
    """What health says once Cabinet has given up starting."""
    reply = client.get("health")
    body: dict[str, dict[str, str]] = reply.json()
    return body if reply.status_code == 503 and "starting" not in body["error"]["message"] else None


@pytest.mark.long(reason="starts a server twice")
@pytest.mark.slow(reason="starts a server twice")
def test_a_root_directory_with_every_odd_character_holds_its_records_across_a_restart(tmp_path: Path) -> None:
    place = tmp_path / "100%41?a=b#c 'd\" Bücher\nnext"
    place.mkdir()
    server = Server(place).start()
    with server.client("ada") as client:
        run = server.run(client, "hello")
    assert server.stop() == 0
    assert [path.parent for path in tmp_path.rglob("cabinet.db")] == [server.root / ".cabinet"]
    server.start()
    with server.client("ada") as client:
        assert client.get(f"runs/{run['id']}").json()["state"] == "succeeded"
        assert [each["id"] for each in client.get("runs").json()["items"]] == [run["id"]]
    assert server.stop() == 0
    assert server.root.is_dir() and not (server.root / ".cabinet").is_symlink()


@pytest.mark.long(reason="starts a server of its own")
def test_a_database_that_cannot_be_opened_is_named_with_the_reason(tmp_path: Path) -> None:
    missing = tmp_path / "not there" / "records.db"
    server = Server(tmp_path, arguments=("--CabinetApp.trust=always", f"--CabinetApp.db_url=sqlite:///{missing}"))
    server.start(ready="api/status")
    with server.client("ada") as client:
        reply = until(lambda: _told(client), what="the reason")
    assert f"{missing} could not be opened: unable to open database file" in reply["error"]["message"]
    assert server.stop() == 0
