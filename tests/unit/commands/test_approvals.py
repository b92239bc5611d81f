"""`jupyter cabinet approvals`: what waits for a person is printed in one line each, whoever has written it."""

from __future__ import annotations

import argparse
from typing import Any, cast

from jupyter_cabinet.client.api import Api
from jupyter_cabinet.commands import approvals

ASKED = {
    "id": "a1",
    "state": "waiting",
    "run_id": "r1",
    "question_id": "q1",
    "session_id": "s1",
    "runtime_title": "Claude Code",
    "instruction": "x",
    "kind": "command",
    "title": "Claude Code asks to run a command",
    "question": "",
    "parts": [{"label": "Command", "text": "rm -rf\nbuild"}],
    "folder": "",
    "options": [],
    "owner": "ada",
    "owner_name": "Ada",
    "visibility": "private",
    "asked_at": "2026-11-28T06:00:00Z",
    "expires_at": "2026-11-28T06:10:00Z",
}
SOUL = {"kind": "soul", "name": "sage", "title": "Sage", "since": "2026-11-28T06:00:00Z", "may_decide": True}
SKILL = {"kind": "skill", "name": "greet", "title": "greet", "source": "from\x1b[2J elsewhere"}


class Answers:
    """Gives the pages of approvals one after the other, and one list of reviews."""

    def __init__(self, pages: list[dict[str, Any]], reviews: list[dict[str, Any]]) -> None:
        self._pages = iter(pages)
        self._reviews = reviews
        self.asked: list[dict[str, Any]] = []

    def get(self, path: str, **query: Any) -> Any:
        if path == "reviews":
            return {"items": self._reviews}
        self.asked.append(query)
        return next(self._pages)


def test_all_pages_are_read_and_every_kind_is_printed() -> None:
    question = {**ASKED, "id": "a2", "kind": "question", "question": "Which one?"}
    pages = [{"items": [{"approval": ASKED}], "next": "a1"}, {"items": [{"approval": question}], "next": None}]
    skill = {**SKILL, "since": SOUL["since"], "may_decide": True}
    api = Answers(pages, [SOUL, {**skill, "changed": True}, {**skill, "source": ""}])
    done = approvals.listed(cast("Api", api), argparse.Namespace())
    assert [each.get("cursor") for each in api.asked] == [None, "a1"]
    _, request, asked, soul, changed, new, empty, decide = done.lines
    assert request.startswith("request") and "run r1" in request and request.endswith("rm -rf build")
    assert asked.startswith("question") and asked.endswith("Which one?")
    assert soul.startswith("proposal") and "agent sage" in soul and soul.endswith("A new SOUL.md")
    assert "Changed since it was approved, from" in changed and "\x1b" not in changed
    assert new.startswith("skill") and new.endswith("Not approved")
    assert (empty, decide) == ("", approvals.DECIDE)
    assert [each["id"] for each in done.value["approvals"]] == ["a1", "a2"] and len(done.value["reviews"]) == 3


def test_held_directives_and_proposals_for_plans_are_counted() -> None:
    held = {**SOUL, "kind": "directives", "name": "r1", "agent": "sage", "count": 2}
    plan = {**SOUL, "kind": "plan", "name": "p1", "title": "Re\x1b[2Jport"}
    api = Answers([{"items": [], "next": None}], [held, plan])
    _, directives, proposal, *_ = approvals.listed(cast("Api", api), argparse.Namespace()).lines
    assert "run r1" in directives and directives.endswith("2 directives of Sage")
    assert "plan p1" in proposal and "1 proposal for Re" in proposal and "\x1b" not in proposal


def test_nothing_that_waits_is_said() -> None:
    api = Answers([{"items": [], "next": None}], [])
    assert approvals.listed(cast("Api", api), argparse.Namespace()).lines == (approvals.NOTHING,)
