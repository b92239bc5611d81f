"""The server's root is the home directory, as JupyterHub has it by default: what Jupyter, the agent CLIs and the person
keep there is no change of a run, is not copied, and is not undone."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness.home_server import HomeServer
from harness.server import until

SECRETS = {".ssh/id_ed25519": "PRIVATE KEY 1", ".aws/credentials": "PRIVATE KEY 2", ".netrc": "PRIVATE KEY 3"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HomeServer]:
    server = HomeServer(tmp_path_factory.mktemp("home"), collaboration=True)
    for path, text in SECRETS.items():
        (server.home / path).parent.mkdir(exist_ok=True)
        (server.home / path).write_text(text)
    server.start()
    yield server
    server.stop()


def touch_as_jupyter_does(server: HomeServer, client: httpx.Client) -> None:
    """A workspace is saved, and the database of the collaboration is written."""
    workspaces = str(client.base_url).replace("/cabinet/api/", "/lab/api/workspaces/")
    saved = client.put(f"{workspaces}default", json={"data": {"a": 1}, "metadata": {"id": "default"}})
    assert saved.status_code == 204, saved.text
    with sqlite3.connect(server.home / ".jupyter_ystore.db") as database:
        database.execute("CREATE TABLE IF NOT EXISTS more (a)")
        database.execute("INSERT INTO more VALUES (1)")
    (server.home / ".jupyter" / "collaboration_sessions.json").write_text("{}")


def run_while_jupyter_works(server: HomeServer, client: httpx.Client, name: str, **fields: Any) -> dict[str, Any]:
    done = server.root / f"{name}-is-done"
    instruction = f"wait for the file {done.name}"
    run = server.run(client, instruction, kind="editor", path="page.md", mode="headless", wait=0, **fields)
    until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "running", what="the run to work")
    touch_as_jupyter_does(server, client)
    done.touch()
    ended: dict[str, Any] = until(
        lambda: (now := client.get(f"runs/{run['id']}").json())["finished_at"] and now, what="the run's end"
    )
    assert ended["state"] == "succeeded", ended
    done.unlink()
    return ended


@pytest.mark.long(reason="starts a server of its own; undoing is tested in one process")
def test_an_undo_leaves_the_home_directory_usable(server: HomeServer) -> None:
    (server.root / "page.md").write_text("# Page\n")
    with server.browser_client("ada") as client:
        first = run_while_jupyter_works(server, client, "first")
        changes = client.get(f"runs/{first['id']}/changes").json()
        assert [file["path"] for file in changes["files"]] == ["first-is-done"]  # made by this test
        why = {each["path"]: each["why"] for each in changes["left_out"] if each["reason"] == "excluded"}
        assert why[".ssh/"] == "SSH keys and the list of known hosts"
        assert "Jupyter" in why[".jupyter/"] and "Jupyter" in why[".jupyter_ystore.db"] and ".local/" in why
        counts = {each["reason"]: each["count"] for each in changes["not_compared"]}
        assert counts["excluded"] == len(why)

        undone = client.post(f"runs/{first['id']}/changes", json={"decision": "revert"})
        assert undone.status_code == 200, undone.text
        second = run_while_jupyter_works(server, client, "second", session_id=first["session_id"])
        assert second["session_id"] == first["session_id"] and "no longer has this session" not in str(second)
    assert (server.home / ".jupyter" / "collaboration_sessions.json").read_text() == "{}"
    with sqlite3.connect(server.home / ".jupyter_ystore.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert all((server.home / path).read_text() == text for path, text in SECRETS.items())
    assert b"PRIVATE KEY" not in kept_contents(server.root)


def kept_contents(root: Path) -> bytes:
    found = [path for path in (root / ".cabinet" / "changes").glob("??/*") if path.is_file()]
    assert found
    return b"".join(zlib.decompress(path.read_bytes()) for path in found)
