"""An unconfirmed folder is restricted; a person in the browser confirms it once. `.cabinet/` is the server's alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from harness.server import Server

RUN = {"kind": "manual", "runtime": "demo", "instruction": "hello"}


@pytest.fixture(scope="module")
def wary_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Trust is asked for; hidden files are allowed."""
    arguments = ("--ContentsManager.allow_hidden=True",)
    server = Server(tmp_path_factory.mktemp("wary"), arguments=arguments).start()
    yield server
    server.stop()


def test_nothing_runs_before_a_person_at_a_browser_has_confirmed_the_folder(wary_server: Server) -> None:
    with wary_server.client("ada") as program, wary_server.browser_client("ada") as browser:
        refused = program.post("runs", json=RUN)
        assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "not_trusted")
        assert refused.json()["error"]["detail"]["root"] == str(wary_server.root)
        state = program.get("trust").json()
        assert state == {"root": str(wary_server.root), "confirmed": False, "hash": state["hash"], "policy": "ask"}
        by_program = program.post("trust", json={"hash": state["hash"]})
        assert (by_program.status_code, by_program.json()["error"]["kind"]) == (403, "not_allowed")
        assert browser.post("trust", json={"hash": "0" * 64}).status_code == 400
        assert browser.post("trust", json={"hash": state["hash"]}).json()["confirmed"] is True
        assert wary_server.run(program, "hello")["state"] == "succeeded"


def test_the_confirmation_outlives_the_server_and_is_not_kept_below_the_root(wary_server: Server) -> None:
    with wary_server.browser_client("ada") as browser:
        browser.post("trust", json={"hash": browser.get("trust").json()["hash"]})
    assert wary_server.stop() == 0
    wary_server.start()
    with wary_server.client("ada") as client:
        assert client.get("health").json()["trusted"] is True
    stores = list(wary_server.place.rglob("trust.db"))
    assert len(stores) == 1 and not stores[0].is_relative_to(wary_server.root)


SPELLINGS = [
    ".cabinet", ".cabinet/", ".cabinet/cabinet.db", "%2ecabinet/cabinet.db", ".%63abinet/cabinet.db",
    ".CABINET/cabinet.db", "./.cabinet/cabinet.db", "//.cabinet/cabinet.db", "sub/../.cabinet/cabinet.db",
    ".cabinet%2fcabinet.db", "%2E%43abinet%2Fcabinet.db",
]  # fmt: skip
PREFIXES = ["files/", "api/contents/", "view/", "nbconvert/html/", "api/contents/x/../", "files/x/%2e%2e/"]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_route_of_jupyter_gives_the_records_out(wary_server: Server, prefix: str, spelling: str) -> None:
    with wary_server.client("ada") as client:
        url = httpx.URL(f"{wary_server.url}{prefix}{spelling}")
        reply = client.get(url)
        assert b"SQLite" not in reply.content and b"cabinet.db" not in reply.content.replace(spelling.encode(), b"")
        assert reply.status_code in (400, 403, 404)


def test_neither_copying_renaming_saving_nor_listing_reaches_the_records(wary_server: Server) -> None:
    (wary_server.root / "a.txt").write_text("x")
    with wary_server.client("ada") as client:
        contents = f"{wary_server.url}api/contents"
        copied = client.post(contents, json={"copy_from": ".cabinet/cabinet.db"})
        renamed = client.patch(f"{contents}/a.txt", json={"path": ".cabinet/a.txt"})
        saved = client.put(
            f"{contents}/{quote('.cabinet/b.txt')}", json={"type": "file", "format": "text", "content": "x"}
        )
        taken = client.patch(f"{contents}/.cabinet", json={"path": "mine"})
        listed = client.get(contents).json()["content"]
    assert {copied.status_code, renamed.status_code, saved.status_code, taken.status_code} <= {400, 403, 404}
    assert ".cabinet" not in [item["name"] for item in listed]
    assert (wary_server.root / "a.txt").exists() and not (wary_server.root / ".cabinet/b.txt").exists()


def test_the_records_are_private_to_the_servers_user(wary_server: Server) -> None:
    assert (wary_server.root / ".cabinet").stat().st_mode & 0o777 == 0o700


@pytest.mark.slow(reason="starts two servers of its own")
def test_records_that_came_with_the_folder_are_set_aside_unread(tmp_path: Path) -> None:
    server = Server(tmp_path, arguments=())
    (server.root / ".cabinet").mkdir()
    (server.root / ".cabinet" / "cabinet.db").write_bytes(b"not ours")
    server.start()
    with server.client("ada") as client:
        assert client.get("runs").json()["items"] == []
    server.stop()
    aside = [path for path in server.root.iterdir() if path.name.startswith(".cabinet.set-aside")]
    assert [(path / "cabinet.db").read_bytes() for path in aside] == [b"not ours"]
    server.start()
    server.stop()
    assert len([path for path in server.root.iterdir() if path.name.startswith(".cabinet.set-aside")]) == 1


@pytest.mark.slow(reason="starts a server of its own")
def test_trust_cannot_be_switched_on_from_below_the_root(tmp_path: Path) -> None:
    server = Server(tmp_path, arguments=())
    config = server.root / "jupyter"
    config.mkdir()
    (config / "jupyter_server_config.json").write_text(json.dumps({"CabinetApp": {"trust": "always"}}))
    server.extra_environment["JUPYTER_CONFIG_DIR"] = str(config)
    server.start()
    with server.client("ada") as client:
        assert client.get("trust").json()["policy"] == "ask"
    server.stop()
