"""Runs from cells of a notebook: which session they continue with, what their agent receives, and what is refused."""

from __future__ import annotations

import json
import uuid
from typing import Any

import httpx
import pytest
from harness.server import Server, until

NOTEBOOK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
DEMO = {"runtime": "demo"}


@pytest.fixture
def notebook(shared_server: Server) -> str:
    """A notebook of the test's own."""
    path = f"{uuid.uuid4().hex[:8]}.ipynb"
    (shared_server.root / path).write_text(json.dumps(NOTEBOOK))
    return path


@pytest.fixture
def agent(shared_server: Server) -> str:
    """An agent of the test's own, with the demo agent as its CLI."""
    slug = f"iris-{uuid.uuid4().hex[:8]}"
    with shared_server.client("ada") as client:
        made = client.post(
            "agents",
            json={"slug": slug, "template": "research", "fields": {**DEMO, "heartbeat_enabled": False, "name": "Iris"}},
        )
    assert made.status_code == 201, made.text
    return slug


def cell(server: Server, client: httpx.Client, notebook: str, instruction: str = "hello", **fields: Any) -> Any:
    return server.run(client, instruction, kind="cell", notebook=notebook, **fields)


def prompt_of(server: Server, run: dict[str, Any]) -> str:
    return (server.root / ".cabinet" / "runs" / run["id"] / "prompt.md").read_text()


def test_a_cell_goes_on_with_the_session_of_the_sidebar(shared_server: Server, notebook: str) -> None:
    with shared_server.client("ada") as client:
        opened = client.post("editor/sessions", json={"path": notebook, **DEMO}).json()["session"]
        run = cell(shared_server, client, notebook, source="[5]")
        assert (run["kind"], run["state"], run["mode"]) == ("cell", "succeeded", "headless")
        assert (run["session_id"], run["path"]) == (opened["id"], notebook)
        assert run["trigger"]["source"] == f"cell [5] of {notebook}"
        again = cell(shared_server, client, notebook)
        other = cell(shared_server, client, notebook, new_session=True)
        assert again["session_id"] == opened["id"] != other["session_id"]
        newest = cell(shared_server, client, notebook)
        assert newest["session_id"] == other["session_id"]
        named = cell(shared_server, client, notebook, session_id=opened["id"])
        assert named["session_id"] == opened["id"]


def test_a_cell_works_in_the_cli_that_the_sidebar_has_open(shared_server: Server, notebook: str) -> None:
    with shared_server.client("ada") as client:
        typed = shared_server.run(client, "hello", kind="editor", path=notebook, mode="terminal")
        run = cell(shared_server, client, notebook)
        assert run["state"] == "succeeded"
        assert (run["mode"], run["terminal_id"]) == ("terminal", typed["terminal_id"])
        client.post(f"editor/sessions/{typed['session_id']}/close", json={})
        after = cell(shared_server, client, notebook)
        assert (after["mode"], after["session_id"]) == ("headless", typed["session_id"])


def test_a_notebook_has_a_session_with_each_agent_and_the_sidebar_lists_them(
    shared_server: Server, notebook: str, agent: str
) -> None:
    with shared_server.client("ada") as client:
        plain = cell(shared_server, client, notebook)
        asked = cell(shared_server, client, notebook, "hello", agent=agent)
        assert asked["agent"] == agent and asked["session_id"] != plain["session_id"]
        assert cell(shared_server, client, notebook, agent=agent)["session_id"] == asked["session_id"]
        opened = client.post("editor/sessions", json={"path": notebook, **DEMO}).json()["session"]
        assert opened["id"] == plain["session_id"]
        items = client.get("editor/sessions", params={"path": notebook}).json()["items"]
        subjects = {item["session"]["id"]: item["session"]["subject"] for item in items}
        assert subjects[asked["session_id"]] == {"kind": "notebook", "path": notebook, "agent": agent}
        sidebar = shared_server.run(client, "hello", kind="editor", session_id=asked["session_id"], mode="headless")
        assert (sidebar["agent"], sidebar["state"]) == (agent, "succeeded")


def test_the_agent_is_told_who_it_is_where_it_is_asked_and_what_was_chosen(
    shared_server: Server, notebook: str, agent: str
) -> None:
    (shared_server.root / "plums.md").write_text("Plums are blue.\n")
    chosen = [{"kind": "variable", "title": "df, 3 × 2", "text": "a  b\n1  2"}]
    with shared_server.client("ada") as client:
        run = cell(
            shared_server,
            client,
            notebook,
            "system: What colour? @plums.md",
            agent=agent,
            source="[7]\n--- x ---",
            attachments=chosen,
        )
    assert run["state"] == "succeeded", run
    told = prompt_of(shared_server, run)
    assert f"You are asked from cell [7] --- x --- of {notebook}." in told
    assert "--- df, 3 × 2 ---\na  b\n1  2" in told and "Plums are blue." in told
    assert "shown below that cell as Markdown" in told


def test_the_runs_of_one_session_are_queued_in_order(shared_server: Server, notebook: str) -> None:
    with shared_server.client("ada") as client:
        runs = [cell(shared_server, client, notebook, text, wait=0) for text in ("sleep 60", "hello", "hello")]
        until(lambda: client.get(f"runs/{runs[0]['id']}").json()["state"] == "running", what="the first run")
        assert [client.get(f"runs/{run['id']}").json()["state"] for run in runs[1:]] == ["queued", "queued"]
        client.post(f"runs/{runs[0]['id']}/cancel", json={})
        ended = [client.get(f"runs/{run['id']}", params={"wait": 30}).json() for run in runs[1:]]
    assert [run["state"] for run in ended] == ["succeeded", "succeeded"]
    assert ended[0]["finished_at"] <= ended[1]["started_at"]


def test_two_notebooks_wait_for_one_agent(shared_server: Server, notebook: str, agent: str) -> None:
    (shared_server.root / "second.ipynb").write_text(json.dumps(NOTEBOOK))
    with shared_server.client("ada") as client:
        first = cell(shared_server, client, notebook, "sleep 60", agent=agent, wait=0)
        second = cell(shared_server, client, "second.ipynb", agent=agent, wait=0)
        until(lambda: client.get(f"runs/{first['id']}").json()["state"] == "running", what="the first run")
        waiting = client.get(f"runs/{second['id']}").json()
        assert waiting["state"] == "queued" and waiting["session_id"] != first["session_id"]
        client.post(f"runs/{first['id']}/cancel", json={})
        assert client.get(f"runs/{second['id']}", params={"wait": 30}).json()["state"] == "succeeded"


BIG = [{"kind": "variable", "title": "x", "text": "y" * 50_000}] * 5
LONG = [{"kind": "cell", "title": "x" * 200_001, "text": ""}]
MANY = [{"kind": "cell", "title": "x", "text": "y"}] * 41
BAD = {
    "no notebook": ({"notebook": "no.ipynb"}, 404, "not_found", "path"),
    "a path out": ({"notebook": "../x.ipynb"}, 400, "outside_root", "path"),
    "no such agent": ({"agent": "nobody-here"}, 404, "not_found", None),
    "too much": ({"attachments": BIG}, 400, "invalid", "attachments"),
    "too many pieces": ({"attachments": MANY}, 400, "invalid", "attachments"),
    "a title without end": ({"attachments": LONG}, 400, "invalid", "attachments"),
    "another runtime's session": ({"runtime": "claude", "session_id": "SESSION"}, 409, "conflict", "runtime"),
    "a new one and a named one": ({"new_session": True, "session_id": "SESSION"}, 400, "invalid", "new_session"),
    "another agent's session": ({"agent": "AGENT", "session_id": "SESSION"}, 409, "conflict", "session_id"),
    "another notebook's session": ({"notebook": "third.ipynb", "session_id": "SESSION"}, 409, "conflict", "session_id"),
    "an unknown field": ({"colour": "red"}, 400, "invalid", None),
}


@pytest.mark.parametrize("case", BAD)
def test_a_cell_that_cannot_be_asked_is_refused_with_the_field(
    shared_server: Server, notebook: str, agent: str, case: str
) -> None:
    fields, status, kind, field = BAD[case]
    (shared_server.root / "third.ipynb").write_text(json.dumps(NOTEBOOK))
    with shared_server.client("ada") as client:
        session = client.post("editor/sessions", json={"path": notebook, **DEMO}).json()["session"]["id"]
        body = {"kind": "cell", "instruction": "hello", "notebook": notebook, **fields}
        body = {key: {"SESSION": session, "AGENT": agent}.get(str(value), value) for key, value in body.items()}
        refused = client.post("runs", json=body)
    error = refused.json()["error"]
    assert (refused.status_code, error["kind"]) == (status, kind), refused.text
    assert field is None or error["detail"]["field"] == field
    assert error["message"].endswith(".")
