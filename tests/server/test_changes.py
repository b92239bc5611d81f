"""What a run has changed, over HTTP: shown, reverted, restored; who may, and what people save meanwhile stays."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from harness.server import Server, until


@pytest.fixture
def ada(people_server: Server) -> Iterator[httpx.Client]:
    with people_server.browser_client("ada") as client:
        yield client


def edited(server: Server, client: httpx.Client, name: str) -> dict[str, Any]:
    (server.root / name).write_text("# Page\n")
    run: dict[str, Any] = server.run(
        client, "append: one", kind="editor", path=name, mode="headless", permission_mode="edit"
    )
    assert run["state"] == "succeeded", run
    return run


def test_a_change_is_shown_taken_back_and_put_again(people_server: Server, ada: httpx.Client) -> None:
    run = edited(people_server, ada, "shown.md")
    assert run["changed"] == {"files": 1, "cells": 0, "added": 2, "removed": 0}
    changes = ada.get(f"runs/{run['id']}/changes").json()
    assert [(file["path"], file["kind"], file["decision"]) for file in changes["files"]] == [
        ("shown.md", "changed", None)
    ]
    (part,) = ada.get(f"runs/{run['id']}/changes/file", params={"path": "shown.md"}).json()["parts"]
    assert [line["sign"] + line["text"] for line in part["lines"]] == [" # Page", "+", "+one"]
    taken = ada.post(f"runs/{run['id']}/changes", json={"decision": "revert"}).json()
    assert taken["files"][0]["decision"]["by"] == "Ada Lind"
    assert (people_server.root / "shown.md").read_text() == "# Page\n"
    ada.post(f"runs/{run['id']}/changes", json={"decision": "undo"})
    assert (people_server.root / "shown.md").read_text() == "# Page\n\none\n"


def test_refusals_say_what_and_change_nothing(people_server: Server, ada: httpx.Client) -> None:
    run = edited(people_server, ada, "refused.md")
    place, page = f"runs/{run['id']}/changes", people_server.root / "refused.md"
    page.write_text("mine\n")
    refused = ada.post(place, json={"decision": "revert"})
    assert refused.status_code == 409 and refused.json()["error"]["detail"]["paths"] == ["refused.md"]
    assert page.read_text() == "mine\n"
    assert ada.post(place, json={"decision": "revert", "paths": ["other.md"]}).status_code == 400
    assert ada.post(place, json={"decision": "sell"}).status_code == 400
    assert ada.get(f"{place}/file").status_code == 404
    assert ada.get(f"{place}/file", params={"path": "../secret"}).status_code == 404
    assert ada.get("runs/unknown/changes").status_code == 404
    with people_server.browser_client("ben") as ben:
        forbidden = ben.post(place, json={"decision": "revert", "anyway": True})
    assert forbidden.status_code == 404  # a run that is private to another
    assert page.read_text() == "mine\n"


def test_what_a_person_saves_while_the_agent_works_stays(people_server: Server, ada: httpx.Client) -> None:
    page = people_server.root / "both.md"
    page.write_text("".join(f"{number}\n" for number in range(8)))
    run = people_server.run(
        ada, "wait for the file both-is-done", kind="editor", path="both.md", mode="headless", wait=0
    )
    until(lambda: ada.get(f"runs/{run['id']}").json()["state"] == "running", what="the run to work")
    page.write_text(page.read_text().replace("1\n", "agent\n"))  # as its CLI would
    mine = page.read_text().replace("6\n", "mine\n")
    contents = str(ada.base_url).replace("/cabinet/api/", "/api/contents/")
    saved = ada.put(f"{contents}both.md", json={"type": "file", "format": "text", "content": mine})
    assert saved.status_code == 200, saved.text
    (people_server.root / "both-is-done").touch()
    ended = until(lambda: (now := ada.get(f"runs/{run['id']}").json())["finished_at"] and now, what="the run's end")
    assert ended["changed"]["added"] == 1
    ada.post(f"runs/{run['id']}/changes", json={"decision": "revert", "paths": ["both.md"]})
    assert page.read_text() == "0\n1\n2\n3\n4\n5\nmine\n7\n"


NAMES = (" first", "last ", "tab\t", "new\nline", "esc\x1b[31m", "separator\u2028", "bell\x07", "plus+&%20=.txt")


def test_a_change_is_listed_whatever_its_name_and_what_cannot_be_is_counted(
    people_server: Server, ada: httpx.Client
) -> None:
    folder = people_server.root / "named"
    folder.mkdir()
    (folder / "page.md").write_text("# Page\n")
    run = people_server.run(ada, "wait for the file named-is-done", kind="manual", cwd="named", mode="headless", wait=0)
    until(lambda: ada.get(f"runs/{run['id']}").json()["state"] == "running", what="the run to work")
    for name in NAMES:
        (folder / name).write_text(f"{name!r}\n")
    (folder / os.fsdecode(b"caf\xe9")).write_text("x")
    deep = folder.joinpath(*("d" for _ in range(62)))
    deep.mkdir(parents=True)
    (folder / "named-is-done").touch()
    until(lambda: ada.get(f"runs/{run['id']}").json()["finished_at"], what="the run's end")

    place = f"runs/{run['id']}/changes"
    changes = ada.get(place).json()
    assert {file["path"] for file in changes["files"]} >= {f"named/{name}" for name in NAMES}
    assert {(each["path"], each["reason"]) for each in changes["left_out"]} == {
        ("named/caf\\xe9", "name"),
        (f"named/{'d/' * 61}", "deep"),
    }
    assert changes["not_compared"] == [{"reason": "name", "count": 1}, {"reason": "deep", "count": 1}]
    for name in NAMES:
        diff = ada.get(f"{place}/file", params={"path": f"named/{name}"})
        assert diff.status_code == 200 and diff.json()["parts"][0]["lines"][0]["text"] == repr(name), name
        taken = ada.post(place, json={"decision": "revert", "paths": [f"named/{name}"]})
        assert taken.status_code == 200 and not (folder / name).exists(), name
    refused = ada.get(f"{place}/file?path=caf%E9")
    assert refused.status_code == 400 and refused.json()["error"]["detail"]["field"] == "path"


def test_a_damaged_content_is_said_and_is_no_error_of_the_server(people_server: Server, ada: httpx.Client) -> None:
    run = edited(people_server, ada, "damaged.md")
    blob = hashlib.sha1(b"blob 7\0# Page\n", usedforsecurity=False).hexdigest()
    kept = people_server.root / ".cabinet" / "changes" / blob[:2] / blob[2:]
    kept.chmod(0o600)
    kept.write_bytes(kept.read_bytes()[:9])
    place = f"runs/{run['id']}/changes"
    shown = ada.get(f"{place}/file", params={"path": "damaged.md"})
    assert shown.status_code == 200 and "damaged or gone" in shown.json()["note"]
    refused = ada.post(place, json={"decision": "revert"})
    assert refused.status_code == 409 and refused.json()["error"]["detail"]["paths"] == ["damaged.md"]
    assert ada.get(place).json()["files"][0]["path"] == "damaged.md"


def test_how_much_is_kept_is_told(people_server: Server, ada: httpx.Client) -> None:
    edited(people_server, ada, "kept.md")
    kept = ada.get("changes").json()
    assert kept["size"] > 0 and kept["runs"] > 0 and (kept["most"], kept["days"]) == (2_000_000_000, 30)


def test_files_that_jupyter_cannot_open_are_reported_and_hinder_no_other(
    people_server: Server, ada: httpx.Client
) -> None:
    folder = people_server.root / "broken"
    folder.mkdir()
    whole = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'
    (folder / "page.ipynb").write_bytes(whole)
    (folder / "page.md").write_text("caf\u00e9\n")
    (folder / "other.md").write_text("one\n")
    request = {"kind": "editor", "path": "broken/page.ipynb", "mode": "headless"}
    run = people_server.run(ada, "wait for the file broken-is-done", wait=0, **request)
    until(lambda: ada.get(f"runs/{run['id']}").json()["state"] == "running", what="the run to work")
    (folder / "page.ipynb").write_bytes(b"{not JSON\n")  # as its CLI would
    (folder / "page.md").write_bytes(b"caf\xe9\n")
    (folder / "other.md").write_text("two\n")
    (people_server.root / "broken-is-done").touch()
    until(lambda: ada.get(f"runs/{run['id']}").json()["finished_at"], what="the run's end")

    place = f"runs/{run['id']}/changes"
    names = ("broken/other.md", "broken/page.ipynb", "broken/page.md")
    assert {file["path"] for file in ada.get(place).json()["files"]} >= set(names)
    shown = {name: ada.get(f"{place}/file", params={"path": name}).json() for name in names}
    assert [shown[name]["note"].partition(",")[0] for name in names] == [
        "",
        "This file is not a valid notebook",
        "This file is not UTF-8",
    ]
    assert all(shown[name]["parts"] for name in names)
    again = people_server.run(ada, "answer: still here", session_id=run["session_id"], **request)
    assert again["state"] == "succeeded", again
    taken = ada.post(place, json={"decision": "revert", "paths": list(names)})
    assert taken.status_code == 200, taken.text
    assert (folder / "page.ipynb").read_bytes() == whole and (folder / "page.md").read_text() == "caf\u00e9\n"
