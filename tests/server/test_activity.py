"""The activity list over HTTP: filters, what each may see, export."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import nbformat
import pytest
from harness.server import RIGHTS, Server, until


@pytest.fixture(scope="module")
def runs(people_server: Server) -> Iterator[dict[str, dict[str, Any]]]:
    """Ada's: one that changed a document, one that was denied; Ben's private one."""
    folder = people_server.root / "record"
    folder.mkdir()
    (folder / "page.md").write_text("# Page\n")
    with people_server.browser_client("ada") as ada, people_server.client("ben") as ben:
        changed = people_server.run(
            ada, "append: for the record", kind="editor", path="record/page.md", mode="headless", permission_mode="edit"
        )
        asking = people_server.run(
            ada, "run touch on-record", kind="manual", mode="headless", permission_mode="ask", wait=0
        )
        asked = until(lambda: ada.get("approvals", params={"run_id": asking["id"]}).json()["items"])[0]["approval"]
        ada.post(f"approvals/{asked['id']}", json={"option": "deny", "note": "not <b>today</b>"}).raise_for_status()
        denied = until(
            lambda: (run := ada.get(f"runs/{asking['id']}").json())["finished_at"] and run, what="the end of the run"
        )
        yield {"changed": changed, "denied": denied, "bens": people_server.run(ben, "hello, only for Ben")}


@pytest.fixture
def ada(people_server: Server) -> Iterator[httpx.Client]:
    with people_server.client("ada") as client:
        yield client


def found(client: httpx.Client, **query: str) -> list[str]:
    reply = client.get("activity", params=query)
    assert reply.status_code == 200, reply.text
    return [entry["run"]["id"] for entry in reply.json()["items"]]


def test_an_entry_has_the_run_what_it_asked_and_what_it_changed(ada: httpx.Client, runs: dict[str, Any]) -> None:
    entries = {entry["run"]["id"]: entry for entry in ada.get("activity").json()["items"]}
    changed, denied = entries[runs["changed"]["id"]], entries[runs["denied"]["id"]]
    assert [(file["path"], file["counts"]["added"]) for file in changed["files"]] == [("record/page.md", 2)]
    assert changed["asked"] == []
    (asked,) = denied["asked"]
    assert (asked["what"], asked["outcome"], asked["by"]["username"]) == (
        "touch on-record",
        "Denied: not <b>today</b>",
        "ada",
    )
    assert runs["bens"]["id"] not in entries


def test_each_filter_finds_what_it_says(ada: httpx.Client, runs: dict[str, Any]) -> None:
    changed, denied = runs["changed"]["id"], runs["denied"]["id"]
    assert changed in found(ada, changed="true") and denied not in found(ada, changed="true")
    assert denied in found(ada, asked="true") and changed not in found(ada, asked="true")
    assert {changed, denied} <= set(found(ada, changed="false", asked="false"))
    assert found(ada, path="record") == found(ada, path="record/page.md") == found(ada, path="/record/") == [changed]
    assert found(ada, path="rec") == found(ada, path="record/page") == []
    assert found(ada, q="FOR THE record") == [changed]
    assert {changed, denied} <= set(found(ada, person="ada", runtime="demo", state=runs["changed"]["state"])) | {denied}
    assert found(ada, kind="manual", asked="true", q="on-record") == [denied]
    assert found(ada, person="ben") == found(ada, agent="nobody") == found(ada, runtime="codex") == []
    asked_at = datetime.fromisoformat(runs["denied"]["queued_at"])
    assert denied in found(ada, since=asked_at.isoformat()) and changed not in found(ada, since=asked_at.isoformat())
    assert changed in found(ada, until=asked_at.isoformat()) and denied not in found(ada, until=asked_at.isoformat())
    naive = asked_at.astimezone(UTC).replace(tzinfo=None).isoformat()
    assert found(ada, since=naive) == found(ada, since=asked_at.isoformat())


def test_who_asked_is_found_by_either_name(ada: httpx.Client, runs: dict[str, Any]) -> None:
    everything = found(ada, person="ada")
    assert runs["changed"]["id"] in everything
    for name in ("Ada Lind", " ada  lind ", "LIND"):
        assert found(ada, person=name) == everything
    for none in ("Ad", "Ada Li", "A_a", "%", "Lind Ada"):
        assert found(ada, person=none) == []


def test_pages_follow_each_other(ada: httpx.Client, runs: dict[str, Any]) -> None:
    whole = found(ada, limit="200")
    first = ada.get("activity", params={"limit": "1"}).json()
    second = ada.get("activity", params={"limit": "1", "cursor": first["next"]}).json()
    assert [page["items"][0]["run"]["id"] for page in (first, second)] == whole[:2]


@pytest.mark.parametrize(
    ("query", "field"), [({"since": "yesterday"}, "since"), ({"changed": "1"}, "changed"), ({"filter": "x"}, "filter")]
)
def test_what_cannot_be_asked_is_refused_with_the_field(ada: httpx.Client, query: dict[str, str], field: str) -> None:
    for route in ("activity", "activity/export"):
        reply = ada.get(route, params=query)
        assert (reply.status_code, reply.json()["error"]["detail"]) == (400, {"field": field})
    assert ada.get("activity/export", params={"format": "pdf"}).status_code == 400


def test_lines_have_whole_texts_and_everything_that_fits_the_filter(ada: httpx.Client, runs: dict[str, Any]) -> None:
    reply = ada.get("activity/export", params={"path": "record"})
    assert reply.headers["Content-Type"] == "application/x-ndjson"
    assert reply.headers["Content-Disposition"] == 'attachment; filename="activity.jsonl"'
    (entry,) = [json.loads(line) for line in reply.text.splitlines()]
    assert entry["run"]["id"] == runs["changed"]["id"] and entry["run"]["result"]["text"]
    exported = ada.get("activity/export").content  # texts may contain other line separators
    assert exported.count(b"\n") == len(found(ada, limit="200"))


def test_a_notebook_has_the_lines_of_the_changes(ada: httpx.Client, runs: dict[str, Any]) -> None:
    reply = ada.get("activity/export", params={"format": "ipynb", "path": "record"})
    notebook = nbformat.reads(reply.text, as_version=4)
    nbformat.validate(notebook)
    assert len(notebook.cells) == 2 and "+for the record" in notebook.cells[1].source
    denied = ada.get("activity/export", params={"format": "ipynb", "q": "on-record"}).text
    assert "not &lt;b>today&lt;/b>" in denied


def test_who_may_not_read_approvals_gets_the_activity_without_them(
    people_server: Server, ada: httpx.Client, runs: dict[str, Any]
) -> None:
    people_server.set_rights({**RIGHTS, "ada": [right for right in RIGHTS["ada"] if "approvals" not in right]})
    try:
        entries = ada.get("activity").json()["items"]
        lines = ada.get("activity/export").text
    finally:
        people_server.set_rights(RIGHTS)
    assert entries and all(entry["asked"] is None for entry in entries)
    assert '"asked":null' in lines and '"asked":[' not in lines


@pytest.mark.slow(reason="starts a server with an operator's configuration")
def test_an_operators_own_log_is_told_until_the_server_has_stopped(tmp_path: Path) -> None:
    log = tmp_path / "events.log"
    server = Server(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "jupyter_server_config.py").write_text(
        f"import logging\nc.EventLogger.handlers = [logging.FileHandler({str(log)!r})]\n"
    )
    server.start()
    with server.client("ada") as client:
        (server.root / "told.md").write_text("# Told\n")
        run = server.run(client, "append: one", kind="editor", path="told.md", mode="headless", permission_mode="edit")
        client.post(f"runs/{run['id']}/changes", json={"decision": "revert"}).raise_for_status()
        contents = str(client.base_url).replace("/cabinet/api/", "/api/contents/")
        client.get(f"{contents}told.md").raise_for_status()
        working = server.run(client, "sleep 60", kind="manual", mode="headless", wait=0)
        until(lambda: client.get(f"runs/{working['id']}").json()["state"] == "running", what="the run to work")
    assert server.stop() == 0
    events = [json.loads(line) for line in log.read_text().splitlines()]
    told = [(event["__schema__"].split("/")[-2], event.get("run_id"), event.get("state")) for event in events]
    assert told.index(("run_started", run["id"], "running")) < told.index(("run_finished", run["id"], "succeeded"))
    assert ("changes_decided", run["id"], None) in told
    assert any(name == "contents_service" for name, _, _ in told)  # Jupyter's own events still arrive
    assert told[-1][:2] == ("run_finished", working["id"])
    assert "append: one" not in log.read_text()
