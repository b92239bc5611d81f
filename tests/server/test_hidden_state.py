"""`.cabinet/` is the server's alone: no link, no second name and no copy gives it out or writes to it."""

from __future__ import annotations

import http.client
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
from harness.server import Server

SECRET = "what-a-run-was-asked-for"
NOTEBOOK = {
    "cells": [{"cell_type": "markdown", "metadata": {}, "source": SECRET}],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}


TRUST, SHOW_HIDDEN = "--CabinetApp.trust=always", "--ContentsManager.allow_hidden=True"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("hidden"), arguments=(TRUST, SHOW_HIDDEN)).start()
    yield server
    server.stop()


@pytest.fixture
def record(server: Server) -> Iterator[Path]:
    with recorded(server) as file:
        yield file


@contextmanager
def recorded(server: Server) -> Iterator[Path]:
    """A file of the records, as `raw` or `prompt.md` is one."""
    place = server.root / ".cabinet" / "runs" / "one"
    place.mkdir(parents=True)
    (place / "secret.txt").write_text(SECRET)
    (place / "secret.ipynb").write_text(json.dumps(NOTEBOOK))
    (server.root / "sub").mkdir()
    yield place / "secret.txt"
    for path in server.root.iterdir():
        if path.name != ".cabinet":
            path.unlink() if path.is_symlink() or path.is_file() else shutil.rmtree(path)
    shutil.rmtree(place)


def _to_file(root: Path, record: Path) -> str:
    (root / "link.txt").symlink_to(record)
    return "link.txt"


def _relative(root: Path, record: Path) -> str:
    (root / "sub" / "link.txt").symlink_to(os.path.relpath(record, root / "sub"))
    return "sub/link.txt"


def _to_folder(root: Path, record: Path) -> str:
    (root / "folder").symlink_to(record.parent)
    return "folder/secret.txt"


def _to_the_state(root: Path, record: Path) -> str:
    (root / "records").symlink_to(root / ".cabinet")
    return "records/runs/one/secret.txt"


def _nested(root: Path, record: Path) -> str:
    (root / "sub" / "a").symlink_to(root / ".cabinet")
    (root / "sub" / "b").symlink_to("a/runs")
    (root / "c").symlink_to("sub/b/one")
    return "c/secret.txt"


def _to_the_root(root: Path, record: Path) -> str:
    (root / "again").symlink_to(root)
    (root / "sub" / "d").symlink_to("../again/.cabinet/runs")
    return "sub/d/one/secret.txt"


def _hard(root: Path, record: Path) -> str:
    os.link(record, root / "sub" / "hard.txt")
    return "sub/hard.txt"


def _link_to_hard(root: Path, record: Path) -> str:
    os.link(record, root / "sub" / "hard.txt")
    (root / "soft.txt").symlink_to("sub/hard.txt")
    return "soft.txt"


WAYS = [_to_file, _relative, _to_folder, _to_the_state, _nested, _to_the_root, _hard, _link_to_hard]


@pytest.mark.parametrize("way", WAYS)
def test_no_route_gives_a_record_out_over_a_link_or_a_second_name(server: Server, record: Path, way) -> None:  # type: ignore[no-untyped-def]
    path = way(server.root, record)
    with server.client("ada") as client:
        for route in ("files/{}", "files/{}?download=1", "api/contents/{}", "api/contents/{}?hash=1&content=0"):
            reply = client.get(httpx.URL(f"{server.url}{route.format(path)}"))
            assert reply.status_code == 404, route
            assert SECRET not in reply.text
        head = client.head(f"{server.url}files/{path}")
        assert head.status_code == 404
        copied = client.post(f"{server.url}api/contents/sub", json={"copy_from": path})
        assert copied.status_code == 404
    assert not [each for each in server.root.rglob("*-Copy*")]


SPELLINGS = [
    "hard.txt/",
    "hard.txt%2f",
    "./hard.txt",
    "nope/../hard.txt",
    "nope/%2e%2e/hard.txt",
    "plain.txt/../hard.txt",
    "d/../hard.txt",
    "link.txt/",
    "nope/../link.txt",
    "d/../link.txt",
    "d/%2e%2e/link.txt",
    "d%2f..%2flink.txt",
    "d/../recs/secret.txt",
    "d/../recs//secret.txt",
]


def _raw(server: Server, method: str, path: str) -> tuple[int, str]:
    """Asked for as it is written: other clients fold a `..` before they send it."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    with closing(connection):
        headers = {"Authorization": f"token {server.token('ada')}"}
        connection.request(method, f"{server.base_url}files/{path}", headers=headers)
        reply = connection.getresponse()
        return reply.status, reply.read().decode()


def test_no_spelling_of_a_path_gives_a_record_out_as_a_file(server: Server, record: Path) -> None:
    gives_nothing_out(server, record)


def test_no_spelling_gives_a_record_out_where_jupyter_hides_hidden_files(tmp_path: Path) -> None:
    server = Server(tmp_path, arguments=(TRUST,)).start()
    with recorded(server) as record:
        gives_nothing_out(server, record)
    server.stop()


def gives_nothing_out(server: Server, record: Path) -> None:
    os.link(record, server.root / "hard.txt")
    (server.root / "link.txt").symlink_to(record)
    (server.root / "recs").symlink_to(record.parent)
    (server.root / "sub" / "deep").mkdir()
    (server.root / "d").symlink_to("sub/deep")  # the kernel finds `sub` at `d/..`
    (server.root / "plain.txt").write_text("plain")
    for method in ("GET", "HEAD"):
        for path in SPELLINGS:
            status, body = _raw(server, method, path)
            assert status == 404 and SECRET not in body, (method, path)
        assert _raw(server, method, "plain.txt")[0] == _raw(server, method, "d/../plain.txt")[0] == 200


@pytest.mark.parametrize("way", WAYS)
def test_no_route_writes_to_a_record_over_a_link_or_a_second_name(server: Server, record: Path, way) -> None:  # type: ignore[no-untyped-def]
    path = way(server.root, record)
    body = {"type": "file", "format": "text", "content": "overwritten"}
    with server.client("ada") as client:
        contents = f"{server.url}api/contents/{path}"
        assert client.put(contents, json=body).status_code == 404
        assert client.put(contents, json={**body, "chunk": 1}).status_code == 404
        assert client.put(contents, json={**body, "chunk": -1}).status_code == 404
        assert client.post(f"{contents}/checkpoints", json={}).status_code == 404
        assert client.post(f"{contents}/checkpoints/checkpoint", json={}).status_code == 404
    assert record.read_text() == SECRET


def test_a_new_file_in_the_records_is_not_made_over_a_link(server: Server, record: Path) -> None:
    (server.root / "new.txt").symlink_to(record.parent / "new.txt")
    (server.root / "folder").symlink_to(record.parent)
    body = {"type": "file", "format": "text", "content": "planted"}
    with server.client("ada") as client:
        for path in ("new.txt", "folder/new.txt"):
            assert client.put(f"{server.url}api/contents/{path}", json=body).status_code == 404
        assert client.post(f"{server.url}api/contents/folder", json={"type": "file"}).status_code == 404
        (server.root / "a.txt").write_text("a")
        renamed = client.patch(f"{server.url}api/contents/a.txt", json={"path": "folder/a.txt"})
        assert renamed.status_code == 404
    assert sorted(each.name for each in record.parent.iterdir()) == ["secret.ipynb", "secret.txt"]


@pytest.mark.parametrize("link", ["soft", "hard"])
def test_a_notebook_of_the_records_is_neither_shown_nor_converted(server: Server, record: Path, link: str) -> None:
    notebook = record.with_suffix(".ipynb")
    make = os.link if link == "hard" else os.symlink
    make(notebook, server.root / "n.ipynb")
    with server.client("ada") as client:
        for route in ("nbconvert/html/n.ipynb", "nbconvert/script/n.ipynb?download=1", "api/contents/n.ipynb"):
            reply = client.get(f"{server.url}{route}")
            assert reply.status_code == 404 and SECRET not in reply.text, route


@pytest.mark.parametrize("way", WAYS)
def test_a_folder_with_a_way_into_the_records_is_not_copied_and_one_without_is(
    server: Server, record: Path, way
) -> None:  # type: ignore[no-untyped-def]
    (server.root / "outer").mkdir()
    planted = server.root / way(server.root, record)
    (server.root / "outer" / "in").symlink_to(planted.parent)
    (server.root / "clean").mkdir()
    (server.root / "clean" / "a.txt").write_text("a")
    os.link(server.root / "clean" / "a.txt", server.root / "clean" / "b.txt")
    with server.client("ada") as client:
        refused = client.post(f"{server.url}api/contents/sub", json={"copy_from": "outer"})
        copied = client.post(f"{server.url}api/contents/sub", json={"copy_from": "clean"})
    assert refused.status_code == 404 and copied.status_code == 201
    assert not (server.root / "sub" / "outer").exists()
    assert (server.root / "sub" / "clean" / "b.txt").read_text() == "a"


def test_the_root_is_not_copied_with_the_records_in_it(server: Server, record: Path) -> None:
    with server.client("ada") as client:
        assert client.post(f"{server.url}api/contents/sub", json={"copy_from": "/"}).status_code in (400, 404)
    assert SECRET not in "".join(each.read_text() for each in (server.root / "sub").rglob("*.txt"))


@pytest.mark.parametrize("link", ["soft", "hard"])
def test_what_jupyter_writes_beside_a_file_does_not_reach_the_records(server: Server, record: Path, link: str) -> None:
    make = os.link if link == "hard" else os.symlink
    (server.root / "a.txt").write_text("a")
    make(record, server.root / ".~a.txt")  # where the old content goes while a new one is saved
    (server.root / ".ipynb_checkpoints").mkdir()
    (server.root / "b.txt").write_text("b")
    make(record, server.root / ".ipynb_checkpoints" / "b-checkpoint.txt")
    body = {"type": "file", "format": "text", "content": "new"}
    with server.client("ada") as client:
        contents = f"{server.url}api/contents"
        assert client.put(f"{contents}/a.txt", json=body).status_code == 404
        assert client.post(f"{contents}/b.txt/checkpoints", json={}).status_code == 404
        assert client.post(f"{contents}/b.txt/checkpoints/checkpoint", json={}).status_code == 404
    assert record.read_text() == SECRET and (server.root / "b.txt").read_text() == "b"


def test_a_listing_leaves_the_links_out_and_shows_the_rest(server: Server, record: Path) -> None:
    _to_file(server.root, record)
    _to_the_state(server.root, record)
    (server.root / "a.txt").write_text("a")
    (server.root / "mine.txt").symlink_to("a.txt")
    with server.client("ada") as client:
        listed = client.get(f"{server.url}api/contents")
        assert listed.status_code == 200
        names = {each["name"] for each in listed.json()["content"]}
        assert {"a.txt", "mine.txt", "sub"} <= names and not names & {"link.txt", "records", ".cabinet"}


def test_peoples_own_links_and_second_names_work_as_before(server: Server, record: Path) -> None:
    (server.root / "a.txt").write_text("a")
    (server.root / "soft.txt").symlink_to("a.txt")
    os.link(server.root / "a.txt", server.root / "hard.txt")
    outside = server.place / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "o.txt").write_text("o")
    (server.root / "out").symlink_to(outside)
    body = {"type": "file", "format": "text"}
    with server.client("ada") as client:
        for path, content in (("soft.txt", "a"), ("hard.txt", "a"), ("out/o.txt", "o")):
            assert client.get(f"{server.url}api/contents/{path}").json()["content"] == content
            saved = client.put(f"{server.url}api/contents/{path}", json={**body, "content": content * 2})
            assert saved.status_code == 200
            assert client.get(f"{server.url}api/contents/{path}").json()["content"] == content * 2
            assert client.put(f"{server.url}api/contents/{path}", json={**body, "content": content}).status_code == 200
        for path in ("soft.txt", "hard.txt"):  # tornado itself serves no link out of the root
            assert client.get(f"{server.url}files/{path}").text == "a"
        assert client.post(f"{server.url}api/contents/soft.txt/checkpoints", json={}).status_code == 201


def test_asking_for_the_records_again_and_again_does_not_fill_the_log(server: Server) -> None:
    before, asked = len(server.log), 0
    for who in ("ada", None):
        with server.client(who) as client:
            for method in ("OPTIONS", "TRACE", "CONNECT", "HEAD", "GET", "STRANGE") * 10:
                reply = client.request(method, f"{server.url}files/.cabinet/cabinet.db")
                assert reply.status_code in (302, 403, 404, 405), method
                asked += 1
    assert "Traceback" not in server.log[before:] and len(server.log) - before < asked * 300
