"""Earlier versions of the files that steer an agent, over HTTP: made by each save, restored by an ordinary save, and
seen by those who may see the agent."""

from __future__ import annotations

from typing import Any

import httpx
from harness.server import Server

FIELDS = {"runtime": "demo", "heartbeat_enabled": False}


def made(client: httpx.Client, slug: str, visibility: str = "private") -> None:
    body = {"slug": slug, "template": "research", "fields": FIELDS, "visibility": visibility}
    client.post("agents", json=body).raise_for_status()


def saved(client: httpx.Client, slug: str, path: str, text: str) -> dict[str, Any]:
    etag = client.get(f"agents/{slug}/files/{path}").json()["etag"]
    reply = client.put(f"agents/{slug}/files/{path}", json={"text": text, "etag": etag})
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


def versions(client: httpx.Client, slug: str, path: str) -> list[dict[str, Any]]:
    reply = client.get(f"agents/{slug}/versions", params={"path": path})
    assert reply.status_code == 200, reply.text
    return list(reply.json()["items"])


def test_a_version_is_restored_by_an_ordinary_save(people_server: Server) -> None:
    with people_server.client("ada") as ada:
        made(ada, "versioned")
        first = ada.get("agents/versioned/files/HEARTBEAT.md").json()
        saved(ada, "versioned", "HEARTBEAT.md", "Read the news.")
        now, before = versions(ada, "versioned", "HEARTBEAT.md")
        assert (now["by"], now["size"], before["by"], before["etag"]) == ("Ada Lind", 14, "", first["etag"])
        path = {"path": "HEARTBEAT.md"}
        old = ada.get(f"agents/versioned/versions/{before['id']}", params=path).json()
        assert old["text"] == first["text"]
        stale = {"text": old["text"], "etag": before["etag"]}
        refused = ada.put("agents/versioned/files/HEARTBEAT.md", json=stale)
        assert (refused.status_code, refused.json()["error"]["detail"]["etag"]) == (409, now["etag"])
        saved(ada, "versioned", "HEARTBEAT.md", old["text"])
        assert [each["etag"] == first["etag"] for each in versions(ada, "versioned", "HEARTBEAT.md")] == [
            True,
            False,
            True,
        ]


def test_a_restored_persona_goes_through_the_checks_of_a_save(people_server: Server) -> None:
    with people_server.client("ada") as ada:
        made(ada, "fielded")
        ada.put("agents/fielded", json={"fields": {"role": "Reads"}}).raise_for_status()
        kept = ada.get("agents/fielded/versions").json()["items"]
        assert [each["by"] for each in kept] == ["Ada Lind", ""]
        broken = people_server.root / ".agents/fielded/persona.md"
        broken.write_text("---\nbudget: -1\n---\n")
        text = ada.get(f"agents/fielded/versions/{kept[1]['id']}").json()["text"]
        saved(ada, "fielded", "persona.md", text)
        found = ada.get("agents/fielded/versions").json()["items"]
        wrong = ada.get(f"agents/fielded/versions/{found[1]['id']}").json()["text"]
        reply = ada.put("agents/fielded", json={"text": wrong, "etag": found[0]["etag"]})
        assert (reply.status_code, reply.json()["error"]["kind"]) == (400, "invalid")


def test_versions_are_seen_by_who_may_see_the_agent_and_restored_by_its_owner(people_server: Server) -> None:
    with people_server.client("ada") as ada, people_server.client("ben") as ben, people_server.client("root") as root:
        for slug, visibility, status in (("hers", "private", 404), ("ours", "server", 200)):
            made(ada, slug, visibility)
            saved(ada, slug, "SOUL.md", "Kind.")
            path, [newest, _] = {"path": "SOUL.md"}, versions(ada, slug, "SOUL.md")
            assert ben.get(f"agents/{slug}/versions", params=path).status_code == status
            assert ben.get(f"agents/{slug}/versions/{newest['id']}", params=path).status_code == status
            refused = ben.put(f"agents/{slug}/files/SOUL.md", json={"text": "x", "etag": newest["etag"]})
            assert refused.status_code == (404 if status == 404 else 403)
            assert root.get(f"agents/{slug}/versions", params=path).status_code == 200
        assert versions(ada, "ours", "SOUL.md")[0]["by"] == "Ada Lind"
        ada.post("agents/hers/archive").raise_for_status()
        assert ada.get("agents/hers/versions", params=path).status_code == 404
        assert ben.get("agents/hers/versions", params=path).status_code == 404


def test_the_rules_of_the_team_are_changed_by_an_administrator_and_confirmed_by_saving_them(
    people_server: Server,
) -> None:
    place = people_server.root / ".agents/PROTOCOL.md"
    with people_server.client("ada") as ada, people_server.client("root") as root:
        assert ada.put("protocol-file", json={"text": "x"}).status_code == 403
        assert ada.get("protocol-file").status_code == 404
        try:
            saved = root.put("protocol-file", json={"text": "Ben reviews."}).json()
            assert root.put("protocol-file", json={"text": "x"}).status_code == 409
            expected = {"path": "PROTOCOL.md", "text": "Ben reviews.", "etag": saved["etag"]}
            assert ada.get("protocol-file").json() == {**expected, "confirmed": True}
            root.put("protocol-file", json={"text": "Eve reviews.", "etag": saved["etag"]}).raise_for_status()
            newest, oldest = ada.get("protocol-file/versions").json()["items"]
            assert ada.get(f"protocol-file/versions/{oldest['id']}").json()["text"] == "Ben reviews."
            assert newest["etag"] == ada.get("protocol-file").json()["etag"]
        finally:
            place.unlink()


def test_the_file_that_all_agents_share_is_changed_by_an_administrator(people_server: Server) -> None:
    with people_server.client("ada") as ada, people_server.client("root") as root:
        assert ada.put("user-file", json={"text": "x"}).status_code == 403
        etag = root.put("user-file", json={"text": "Ada works mornings."}).json()["etag"]
        try:
            assert root.put("user-file", json={"text": "x"}).status_code == 409
            root.put("user-file", json={"text": "Ada works evenings.", "etag": etag}).raise_for_status()
            assert ada.get("user-file").json()["text"] == "Ada works evenings."
            newest, oldest = ada.get("user-file/versions").json()["items"]
            assert ada.get(f"user-file/versions/{oldest['id']}").json()["text"] == "Ada works mornings."
            assert newest["etag"] == ada.get("user-file").json()["etag"]
            assert ada.get("agents/restore/versions").status_code == 404
        finally:
            (people_server.root / ".agents/USER.md").unlink()
