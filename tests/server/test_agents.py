"""Agents over HTTP: duplicate, export, archive and restore, for their owners."""

from __future__ import annotations

import base64
import io
import shutil
import zipfile
from collections.abc import Iterator

import httpx
import pytest
from harness.foreign import GATEWAY, ORCHESTRATOR, write, zipped
from harness.server import Server

pytestmark = pytest.mark.slow(reason="starts a real server")


@pytest.fixture
def ada(people_server: Server) -> Iterator[httpx.Client]:
    with people_server.browser_client("ada") as client:
        yield client


@pytest.fixture
def ben(people_server: Server) -> Iterator[httpx.Client]:
    with people_server.browser_client("ben") as client:
        yield client


def test_an_agent_is_copied_exported_archived_and_restored(ada: httpx.Client, ben: httpx.Client) -> None:
    new = {"slug": "iris", "template": "research", "fields": {"runtime": "demo"}, "visibility": "server"}
    made = ada.post("agents", json=new)
    assert (made.status_code, made.json()["owner"], made.json()["owner_name"]) == (201, "ada", "Ada Lind")
    copy = ada.post("agents/iris/duplicate", json={"slug": "iris-2", "name": "Iris 2"})
    assert copy.status_code == 201, copy.text
    assert (copy.json()["name"], copy.json()["visibility"]) == ("Iris 2", "private")
    assert ada.post("agents/iris/duplicate", json={"slug": "iris-2"}).status_code == 409
    assert ben.get("agents/iris-2/export").status_code == 404
    assert ben.get("agents/iris/export").status_code == 403
    exported = ada.get("agents/iris/export")
    assert exported.headers["Content-Type"] == "application/zip"
    assert exported.headers["Content-Disposition"] == 'attachment; filename="iris.agent.zip"'
    with zipfile.ZipFile(io.BytesIO(exported.content)) as archive:
        assert "agent/persona.md" in archive.namelist()
        assert "USER.md" not in archive.namelist()

    upload = {"archive": base64.b64encode(exported.content).decode()}
    seen = ben.post("agent-bundles", json=upload)
    assert seen.status_code == 200, seen.text
    assert (seen.json()["slug"], seen.json()["new_slug"]) == ("iris", "iris-3")
    assert ben.post("agent-bundles/import", json={**upload, "slug": "iris"}).status_code == 409
    imported = ben.post("agent-bundles/import", json=upload)
    assert imported.status_code == 201, imported.text
    agent = imported.json()
    assert (agent["slug"], agent["owner"], agent["visibility"]) == ("iris-3", "ben", "private")
    assert ada.get("agents/iris-3").status_code == 404
    refused = ben.post("agent-bundles", json={"archive": "AAAA"}).json()["error"]
    assert (refused["kind"], refused["detail"]) == ("invalid", {"field": "archive"})
    large = {"archive": base64.b64encode(bytes(6 << 20)).decode()}  # more than other requests may have
    assert ben.post("agent-bundles", json=large).json()["error"]["message"].startswith("The archive was not accepted")

    assert ben.post("agents/iris/archive").status_code == 403
    archived = ada.post("agents/iris/archive").json()["name"]
    deleted = ada.delete("agents/iris-2").json()["name"]
    listed = ada.get("agents").json()
    assert {each["name"]: each["slug"] for each in listed["archived"] if each["at"]}[archived] == "iris"
    assert {each["name"]: each["slug"] for each in listed["trashed"] if each["at"]}[deleted] == "iris-2"
    others = ben.get("agents").json()
    assert (others["archived"], others["trashed"]) == ([], [])
    assert ben.post("agents/restore", json={"name": archived}).status_code == 404
    assert ada.post("agents/restore", json={"name": archived}).json()["slug"] == "iris"
    assert archived not in [each["name"] for each in ada.get("agents").json()["archived"]]
    ada.delete("agents/iris")
    assert ben.delete("agents/iris-3").status_code == 200


def test_the_memory_of_an_agent_is_searched_by_whoever_may_see_it(
    people_server: Server, ada: httpx.Client, ben: httpx.Client
) -> None:
    for slug, visibility in (("mia", "server"), ("mia-2", "private")):
        new = {"slug": slug, "template": "research", "fields": {"runtime": "demo"}, "visibility": visibility}
        assert ada.post("agents", json=new).status_code == 201
        text = f"🍇 Plums of {slug}\nare <b>blue</b>.\n"
        put = ada.put(f"agents/{slug}/files/memory/learnings.md", json={"text": text, "etag": None})
        assert put.status_code == 200, put.text
    query = {"q": "PLUMS mia"}
    for person in (ada, ben):
        (found,) = person.get("agents/mia/memory/search", params=query).json()["items"]
        assert (found["path"], found["line"], found["first_line"], found["last_line"]) == (
            *("memory/learnings.md", 1, 1, 2),
        )
        assert [found["excerpt"][start:end] for start, end in found["marks"]] == ["Plums", "mia"]
        assert found["excerpt"] == "🍇 Plums of mia are <b>blue</b>."
    assert ben.get("agents/mia-2/memory/search", params=query).status_code == 404
    assert len(ada.get("agents/mia-2/memory/search", params=query).json()["items"]) == 1
    assert ada.get("agents/mia/memory/search").json() == {"items": [], "left_out": 0}
    assert ada.get("agents/mia/memory/search", params={"q": "pears"}).json()["items"] == []
    assert len(ada.get("agents/mia/memory/search", params={"q": "plums", "limit": 0}).json()["items"]) == 1
    assert ada.get("agents/mia/memory/search", params={"q": "plums", "limit": "x"}).status_code == 400
    assert ada.get("agents/mia/memory/search", params={"q": '"' * 5000}).status_code == 200
    (people_server.root / ".agents/mia/memory/learnings.md").write_text("Now pears.\n")
    assert len(ada.get("agents/mia/memory/search", params={"q": "pears"}).json()["items"]) == 1
    assert ada.get("agents/mia/memory/search", params=query).json()["items"] == []
    indexes = people_server.place / "data" / "cabinet" / "memory"
    for slug in ("mia", "mia-2"):
        assert [path.name for path in indexes.glob(f"*/{slug}.db")] == [f"{slug}.db"]
        assert ada.delete(f"agents/{slug}").status_code == 200
        assert not list(indexes.glob(f"*/{slug}.db*")), "the texts of a deleted agent"


def test_only_the_owner_s_browser_decides_about_a_proposed_soul(
    people_server: Server, ada: httpx.Client, ben: httpx.Client
) -> None:
    new = {"slug": "sol", "template": "research", "fields": {"runtime": "demo"}, "visibility": "server"}
    assert ada.post("agents", json=new).status_code == 201
    assert ada.get("agents/sol/proposal").json() == {"proposal": None}
    run = ada.post("agents/sol/reflections")
    assert run.status_code == 201, run.text
    assert ada.post("agents/sol/reflections").status_code == 409
    ada.get(f"runs/{run.json()['id']}", params={"wait": 60, "until": "effects"})
    found = ben.get("agents/sol/proposal").json()["proposal"]
    seen = {"hash": found["hash"], "etag": found["etag"]}
    with people_server.client("ada") as program:  # with a token, as an agent or a script has it
        for decision in ("accept", "refuse", "compare"):
            assert program.post("agents/sol/proposal", json={"decision": decision, **seen}).status_code == 403
    ticket = {"Authorization": f"token {run.json()['id']}"}
    with httpx.Client(base_url=ada.base_url, headers=ticket) as stranger:
        assert stranger.post("agents/sol/proposal", json={"decision": "accept", **seen}).status_code in (302, 401, 403)
    assert ben.post("agents/sol/proposal", json={"decision": "accept", **seen}).status_code == 403
    wrong = {"decision": "accept", "hash": "0" * 64, "etag": found["etag"]}
    assert ada.post("agents/sol/proposal", json=wrong).status_code == 409
    old = {"decision": "accept", "hash": found["hash"], "etag": None}
    assert ada.post("agents/sol/proposal", json=old).status_code == 409
    assert ada.post("agents/sol/proposal", json={"decision": "maybe", **seen}).status_code == 400
    assert ada.post("agents/sol/proposal", json={"decision": "accept", **seen}).status_code == 200
    assert ada.get("agents/sol/files/SOUL.md").json()["text"] == found["text"]
    versions = ada.get("agents/sol/versions", params={"path": "SOUL.md"}).json()["items"]
    assert versions[0]["by"].endswith(f"proposed by run {run.json()['id']}")
    assert ada.post("agents/sol/proposal", json={"decision": "accept", **seen}).status_code == 404
    ada.delete("agents/sol")


def test_an_agent_of_another_system_is_shown_and_imported_from_a_folder_or_an_archive(
    people_server: Server, ben: httpx.Client
) -> None:
    write(people_server.root / "old", ORCHESTRATOR)
    several = ben.post("agent-bundles", json={"folder": "old"}).json()["error"]
    assert several["detail"] == {"field": "agent", "agents": ["coder", "researcher"]}
    seen = ben.post("agent-bundles", json={"folder": "old/agents/researcher"}).json()
    assert (seen["system"], seen["new_slug"]) == ("orchestrator", "researcher")
    becomes = {row["path"]: row["becomes"] for row in seen["converted"]}
    assert becomes["agents/researcher/SOUL.md"] == "SOUL.md" and becomes["config.json, admin"] == ""
    named = {"folder": "old/agents/researcher", "hash": seen["hash"]}
    assert ben.post("agent-bundles/import", json={**named, "hash": "0"}).status_code == 409
    made = ben.post("agent-bundles/import", json=named)
    assert (made.status_code, made.json()["owner"]) == (201, "ben"), made.text
    versions = ben.get("agents/researcher/versions", params={"path": "SOUL.md"}).json()["items"]
    assert [each["saved"][:10] for each in versions] == ["2026-01-31", "2025-12-31"]
    assert ben.get("skills/sources").json()["source"].startswith("with the agent researcher, imported by")
    for folder in (".agents/researcher", "../old", ".cabinet"):
        assert ben.post("agent-bundles", json={"folder": folder}).status_code in (400, 403), folder
    gateway = {"archive": base64.b64encode(zipped(GATEWAY)).decode()}
    assert ben.post("agent-bundles", json=gateway).json()["system"] == "gateway"
    for gone in ("agents/researcher", "skills/sources"):  # other tests use this server, too
        ben.delete(gone).raise_for_status()
    shutil.rmtree(people_server.root / "old")
