"""Approval rules over HTTP: who may change them, that nobody wipes out another's change, and what they answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from harness.server import Server, until

STATUS = {"effect": "allow", "action": {"type": "command", "argv": ["git", "status"]}}


@pytest.fixture
def ada(people_server: Server) -> Iterator[httpx.Client]:
    with people_server.browser_client("ada") as client:
        yield client
        put(client)


def put(client: httpx.Client, *rules: dict[str, Any]) -> dict[str, Any]:
    """These instead of all rules."""
    now = client.get("approval-rules").json()["hash"]
    reply = client.put("approval-rules", json={"rules": rules, "hash": now})
    reply.raise_for_status()
    kept: dict[str, Any] = reply.json()
    return kept


def edit_rule(path: str, effect: str = "allow", **fields: Any) -> dict[str, Any]:
    return {"effect": effect, "action": {"type": "edit", "path": path}, **fields}


def run(server: Server, client: httpx.Client, instruction: str, name: str) -> dict[str, Any]:
    (server.root / f"{name}.md").write_text("# Page\n")
    asked = {"permission_mode": "ask", "mode": "headless", "wait": 0, "kind": "editor", "path": f"{name}.md"}
    return server.run(client, instruction, **asked)


def final(client: httpx.Client, started: dict[str, Any]) -> dict[str, Any]:
    address = f"runs/{started['id']}"
    return dict(until(lambda: (now := client.get(address).json())["finished_at"] and now, what="the run's end"))


def questions(client: httpx.Client, started: dict[str, Any], **wanted: str) -> list[dict[str, Any]]:
    items = client.get("approvals", params={"run_id": started["id"], **wanted}).json()["items"]
    return [item["approval"] for item in items]


def waiting(client: httpx.Client, started: dict[str, Any]) -> dict[str, Any]:
    return dict(until(lambda: questions(client, started, state="waiting"), what="its question")[0])


def test_a_person_replaces_the_rules_and_a_program_does_not(people_server: Server, ada: httpx.Client) -> None:
    kept = put(ada, STATUS)
    assert ada.get("approval-rules").json() == kept
    assert (kept["rules"][0]["made_by"]["username"], kept["rules"][0]["for_everyone"]) == ("ada", False)
    with people_server.client("ada") as program:
        refused = program.put("approval-rules", json={"rules": [], "hash": kept["hash"]})
        assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "not_allowed")
        assert program.get("approval-rules").json() == kept


def test_a_stale_hash_is_a_conflict_and_changes_nothing(ada: httpx.Client) -> None:
    old = ada.get("approval-rules").json()["hash"]
    kept = put(ada, STATUS)
    late = ada.put("approval-rules", json={"rules": [], "hash": old})
    assert (late.status_code, late.json()["error"]["kind"]) == (409, "conflict")
    assert ada.get("approval-rules").json() == kept


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ({"effect": "allow", "action": {"type": "command", "argv": ["sudo", "ls"]}}, "argv"),
        (edit_rule("../x"), "path"),
        ({"effect": "allow", "action": {"type": "fetch", "host": "*"}}, "host"),
        ({**STATUS, "folder": "/etc"}, "folder"),
        ({**STATUS, "expires_at": "2026-01-01T00:00:00"}, "expires_at"),
        ({**STATUS, "made_by": {"username": "ben", "display_name": "Ben"}}, None),
    ],
)
def test_a_rule_that_cannot_be_meant_is_refused_with_its_field(
    ada: httpx.Client, bad: dict[str, Any], field: str | None
) -> None:
    now = ada.get("approval-rules").json()["hash"]
    reply = ada.put("approval-rules", json={"rules": [bad], "hash": now})
    assert reply.status_code == 400
    assert field is None or reply.json()["error"]["detail"]["field"] == field


def test_a_rule_allows_or_denies_without_a_question(people_server: Server, ada: httpx.Client) -> None:
    (rule,) = put(ada, edit_rule("allowed.md"))["rules"]
    allowed = run(people_server, ada, "append: one", "allowed")
    assert final(ada, allowed)["state"] == "succeeded"
    assert (people_server.root / "allowed.md").read_text().endswith("one\n")
    (approval,) = questions(ada, allowed)
    assert (approval["state"], approval["outcome"]) == ("answered", "Allowed by the rule “edit allowed.md”")
    assert (approval["rule_id"], approval["answered_by"]) == (rule["id"], None)
    put(ada, edit_rule("**"), edit_rule("denied.md", "deny"))
    ended = final(ada, denied := run(people_server, ada, "append: one", "denied"))
    assert ended["result"]["text"] == "Denied by the rule “edit denied.md”."
    assert questions(ada, denied)[0]["outcome"] == "Denied by the rule “edit denied.md”"
    assert (people_server.root / "denied.md").read_text() == "# Page\n"


def test_a_rule_that_has_ended_lets_a_person_be_asked(people_server: Server, ada: httpx.Client) -> None:
    put(ada, edit_rule("ended.md", expires_at=(datetime.now(UTC) - timedelta(seconds=1)).isoformat()))
    started = run(people_server, ada, "append: one", "ended")
    asked = waiting(ada, started)
    assert asked["because"] == "Asked because no rule allows an edit of ended.md"
    ada.post(f"approvals/{asked['id']}", json={"option": "deny"}).raise_for_status()
    final(ada, started)


def test_an_answer_can_allow_the_same_from_now_on(people_server: Server, ada: httpx.Client) -> None:
    first = run(people_server, ada, "run touch always.txt", "always")
    asked = waiting(ada, first)
    assert [rule["runtime"] for rule in asked["always"]] == ["demo"]
    address = f"approvals/{asked['id']}"
    for bad in ({"option": "allow", "always": {"days": 91}}, {"option": "deny", "always": {"days": 1}}):
        assert ada.post(address, json=bad).status_code == 400
    answered = ada.post(address, json={"option": "allow", "always": {"days": 1}}).json()
    assert answered["outcome"] == "Allowed by a new rule for 1 day"
    final(ada, first)
    second = run(people_server, ada, "run touch always.txt", "always")
    assert final(ada, second)["state"] == "succeeded"
    assert questions(ada, second)[0]["outcome"] == "Allowed by the rule “touch always.txt”"


def test_what_the_rules_would_say_can_be_asked(people_server: Server, ada: httpx.Client) -> None:
    put(ada, STATUS, {"effect": "deny", "action": {"type": "command", "argv": ["rm", "-rf"]}})

    def said(text: str, **more: Any) -> tuple[str, str]:
        body = {"asks": {"type": "command", "text": text}, **more}
        reply = ada.post("approval-rules/explain", json=body).json()
        return reply["effect"], reply["because"]

    assert said("git status") == ("allow", "Allowed by the rule “git status”")
    assert said("sudo rm -fr /") == ("deny", "Denied by the rule “rm -rf”")
    assert said("git status > x")[0] == "ask"
    assert said("git status", agent="ada", folder="docs")[0] == "allow"
    with people_server.browser_client("ben") as ben:
        body = {"asks": {"type": "command", "text": "git status"}}
        assert ben.post("approval-rules/explain", json=body).json()["effect"] == "ask"  # Ada allows it in her runs
