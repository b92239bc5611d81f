"""Every route × every kind of caller × plain request and upgrade, with real requests. A new route needs a row here."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from harness.server import RIGHTS, Server, until
from harness.sockets import connect
from tornado.httpclient import HTTPClientError

from jupyter_cabinet.web.openapi import operations
from jupyter_cabinet.web.routes import ROUTES


@dataclass
class Row:
    """How to call a route. `owned`: its object is Ada's and private. `bodies`: JSON by method."""

    owned: str = ""  # "run", "session", "terminal", "recording", "approval"
    bodies: dict[str, Any] = field(default_factory=dict)
    executor_may_not: tuple[str, ...] = ()  # methods that need more than Ada has
    misses: tuple[str, ...] = ()  # methods that look for something that is not there


ROWS: dict[str, Row] = {
    "health": Row(),
    "runtimes": Row(),
    "runtimes/{name}/test": Row(bodies={"post": {}}),
    "runs": Row(bodies={"post": {"kind": "manual", "runtime": "demo", "instruction": "hello"}}),
    "runs/{id}": Row(owned="run"),
    "runs/{id}/cancel": Row(owned="run", bodies={"post": {}}),
    "runs/{id}/now": Row(owned="run", bodies={"post": {}}),
    "runs/{id}/prompt": Row(owned="run"),
    "runs/{id}/sandbox": Row(owned="run", misses=("get",)),
    "runs/{id}/raw": Row(owned="run"),
    "runs/{id}/output": Row(owned="run"),
    "changes": Row(),
    "activity": Row(),
    "activity/export": Row(),
    "runs/{id}/changes": Row(owned="run", bodies={"post": {"decision": "accept"}}),
    "runs/{id}/changes/file": Row(owned="run", misses=("get",)),
    "runs/{id}/effects": Row(owned="run"),
    "runs/{id}/effects/{position}": Row(owned="run", bodies={"post": {"allow": False}}, executor_may_not=("post",)),
    "channels": Row(bodies={"post": {"platform": "telegram", "title": "", "token": "1:x"}}, executor_may_not=("post",)),
    "channels/{id}": Row(
        bodies={"put": {"title": "x"}},
        misses=("get", "put", "delete"),
    ),
    "channels/{id}/messages": Row(misses=("get",)),
    "channels/{id}/export": Row(misses=("get",)),
    "channels/{id}/chats": Row(misses=("get",)),
    "channels/{id}/secret": Row(misses=("post",)),
    "channels/{id}/test": Row(misses=("post",)),
    "channel-pairings": Row(bodies={"post": {"code": "x"}}, executor_may_not=("post",)),
    "channel-pairings/{id}": Row(
        bodies={"put": {"may": ["ask"]}}, executor_may_not=("put", "delete"), misses=("put", "delete")
    ),
    "web-chats": Row(),
    "web-chats/{id}/messages": Row(bodies={"post": {"key": "key-key-key", "text": "hello"}}, misses=("get", "post")),
    "web-chats/{id}/press": Row(bodies={"post": {"message": "x", "button": 0}}, misses=("post",)),
    "agents": Row(bodies={"post": {"slug": "No slug", "template": "research"}}),
    "agents/restore": Row(bodies={"post": {"name": "nobody-20260101T000000Z-abcdef"}}, misses=("post",)),
    "agents/{name}": Row(owned="agent", bodies={"put": {"fields": {"role": "Reads"}}}),
    "agents/{name}/run": Row(owned="agent"),
    "agents/{name}/reflections": Row(owned="agent"),
    "agents/{name}/proposal": Row(
        owned="agent", bodies={"post": {"decision": "refuse", "hash": "0"}}, misses=("post",)
    ),
    "agents/{name}/pause": Row(owned="agent", bodies={"post": {}}),
    "agents/{name}/resume": Row(owned="agent"),
    "agents/{name}/confirm": Row(owned="agent", bodies={"post": {"hash": "0"}}),
    "agents/{name}/rename": Row(owned="agent", bodies={"post": {"slug": "renamed"}}),
    "agents/{name}/archive": Row(owned="agent"),
    "agents/{name}/duplicate": Row(owned="agent", bodies={"post": {"slug": "No slug"}}),
    "agents/{name}/export": Row(owned="agent"),
    "agents/{name}/prompt": Row(owned="agent"),
    "agents/{name}/goals": Row(owned="agent"),
    "agents/{name}/inbox": Row(owned="agent", bodies={"post": {"text": "hello"}}),
    "agents/{name}/tasks": Row(owned="agent", bodies={"post": {"title": "Read"}}),
    "agents/{name}/tasks/{id}": Row(owned="agent", bodies={"put": {"status": "completed"}}, misses=("put",)),
    "agents/{name}/history": Row(owned="agent"),
    "agents/{name}/memory/search": Row(owned="agent"),
    "agents/{name}/files": Row(owned="agent"),
    "agents/{name}/versions": Row(owned="agent"),
    "agents/{name}/versions/{id}": Row(owned="agent", misses=("get",)),
    "user-file": Row(bodies={"put": {"text": "x"}}, executor_may_not=("put",), misses=("get",)),
    "user-file/versions": Row(),
    "user-file/versions/{id}": Row(misses=("get",)),
    "protocol-file": Row(bodies={"put": {"text": "x"}}, executor_may_not=("put",), misses=("get",)),
    "protocol-file/versions": Row(),
    "protocol-file/versions/{id}": Row(misses=("get",)),
    "agents/{name}/files/{path}": Row(owned="agent", bodies={"put": {"text": "x"}}, misses=("get",)),
    "agent-templates": Row(),
    "agent-bundles": Row(bodies={"post": {"archive": "AAAA"}}),
    "agent-bundles/import": Row(bodies={"post": {"archive": "AAAA", "slug": "brought"}}),
    "plans": Row(bodies={"post": {"title": ""}}),
    "plans/import": Row(bodies={"post": {"text": "- no plan"}}),
    "plan-queue": Row(),
    "plans/{id}": Row(owned="plan", bodies={"put": {"title": "Renamed"}}),
    "plans/{id}/archive": Row(owned="plan", bodies={"post": {}}),
    "plans/{id}/breakdown": Row(owned="plan", bodies={"post": {"instruction": ""}}),
    "plans/{id}/checklist": Row(owned="plan", bodies={"post": {"path": "PLAN.md"}}),
    "plans/{id}/export": Row(owned="plan"),
    "plans/{id}/pause": Row(owned="plan"),
    "plans/{id}/proposals/{id}": Row(owned="plan", bodies={"post": {"decision": "apply"}}),
    "plans/{id}/run": Row(owned="plan"),
    "plans/{id}/steps": Row(owned="plan", bodies={"post": {"steps": [{"title": "Read"}]}}),
    "plans/{id}/steps/{id}": Row(owned="plan", bodies={"put": {"title": "Read"}}, misses=("get", "put", "delete")),
    "plans/{id}/steps/{id}/report": Row(owned="plan", bodies={"post": {"status": "done"}}, misses=("post",)),
    "plans/{id}/steps/{id}/reset": Row(owned="plan", misses=("post",)),
    "plans/{id}/steps/{id}/run": Row(owned="plan", bodies={"post": {}}, misses=("post",)),
    "plans/{id}/steps/{id}/skip": Row(owned="plan", misses=("post",)),
    "plans/{id}/steps/{id}/split": Row(owned="plan", bodies={"post": {"steps": []}}, misses=("post",)),
    "plays": Row(bodies={"post": {"slug": "!", "body": "x"}}),
    "plays/{name}": Row(owned="agent", bodies={"put": {"fields": {}}}),
    "plays/{name}/run": Row(owned="agent", bodies={"post": {}}),
    "plays/{name}/confirm": Row(owned="agent", bodies={"post": {"hash": "0"}}),
    "plays/{name}/secret": Row(owned="agent", executor_may_not=("post",)),  # for a person in the browser
    "plays/{name}/test-request": Row(owned="agent", bodies={"post": {"body": "x"}}),
    "plays/{name}/history": Row(owned="agent"),
    # The routes without a login: to who has no signature they are forbidden, whoever they are. See `test_hooks.py`.
    "hooks/channels/{id}": Row(executor_may_not=("post",)),
    "hooks/plays/{name}": Row(executor_may_not=("post",)),
    "skills": Row(bodies={"post": {"name": "No name"}}),
    "skills/{name}": Row(bodies={"put": {"text": "x", "hash": "0"}}, misses=("get", "put", "delete")),
    # A program lists tool servers; people add and change them.
    "tool-servers": Row(bodies={"post": {"name": "toy", "program": "x"}}, executor_may_not=("post",)),
    "tool-servers-of-clis": Row(),
    "tool-servers/{name}": Row(bodies={"put": {"shared": True}}, misses=("get",), executor_may_not=("put", "delete")),
    "tool-servers/{name}/look": Row(misses=("post",), executor_may_not=("post",)),
    "tool-servers/{name}/approval": Row(bodies={"put": {"tools": [], "hash": "0"}}, executor_may_not=("put",)),
    "skills/{name}/decision": Row(bodies={"post": {"hash": "0", "decision": "approve"}}, misses=("post",)),
    "approvals": Row(),
    "approvals/{id}": Row(owned="approval", bodies={"post": {"option": "deny"}}, executor_may_not=("post",)),
    "reviews": Row(),
    "approval-rules": Row(bodies={"put": {"rules": [], "hash": ""}}, executor_may_not=("put",)),
    "approval-rules/explain": Row(bodies={"post": {"asks": {"type": "command", "text": "git status"}}}),
    "editor/sessions": Row(bodies={"post": {"path": "ada.md"}}),
    "editor/sessions/{id}": Row(owned="session"),
    "editor/sessions/{id}/close": Row(owned="session", bodies={"post": {}}),
    "editor/work": Row(),
    "editor/mentions": Row(),
    "projects": Row(),
    "usage": Row(),
    "sessions": Row(),
    "sessions/reindex": Row(bodies={"post": {}}, executor_may_not=("post",)),
    "sessions/{id}": Row(bodies={"patch": {}}, misses=("get", "patch")),
    "sessions/{id}/continue": Row(bodies={"post": {"instruction": "go on"}}, misses=("post",)),
    "sessions/{id}/entries": Row(bodies={"patch": {"entry": "1"}}, misses=("get", "patch")),
    "sessions/{id}/export": Row(misses=("get",)),
    "sessions/{id}/health": Row(misses=("get",)),
    "sessions/{id}/last": Row(misses=("get",)),
    "sessions/{id}/matches": Row(misses=("get",)),
    "sessions/{id}/next-prompts": Row(bodies={"post": {}}, misses=("get", "post")),
    "sessions/{id}/runs": Row(misses=("get",)),
    "sessions/{id}/timeline": Row(misses=("get",)),
    "terminals": Row(bodies={"post": {"visibility": "private"}}),
    "terminals/{id}": Row(owned="terminal", bodies={"patch": {"visibility": "private"}}),
    "terminals/{id}/ws": Row(owned="terminal"),
    "terminals/{id}/input": Row(owned="terminal", bodies={"post": {"text": "x"}}),
    "terminals/{id}/agent": Row(owned="terminal", bodies={"post": {"runtime": "demo"}}),
    "terminals/{id}/agent/pause": Row(owned="terminal", bodies={"post": {}}),
    "terminals/{id}/agent/resume": Row(owned="terminal", bodies={"post": {}}),
    "terminals/{id}/agent/stop": Row(owned="terminal", bodies={"post": {}}),
    "terminals/{id}/recording": Row(owned="terminal", bodies={"put": {"on": False}}),
    "recordings": Row(),
    "recordings/{id}": Row(owned="recording"),
    "switch": Row(bodies={"post": {"paused": False}}, executor_may_not=("post",)),
    "trust": Row(bodies={"post": {"hash": "0"}}, executor_may_not=("post",)),
    "events": Row(),
    "openapi.json": Row(),
}

CALLS = [(path, method, mark) for path, handler in ROUTES for method, mark in operations(handler).items()]
NAMES = [f"{method.upper()} {path}" for path, method, _ in CALLS]
# What a good request answers, whatever the object's state: it got past the doors.
NUMBERS = itertools.count()
LET_IN = {200, 201, 204, 400, 409}


@pytest.fixture(scope="module")
def adas(people_server: Server) -> Iterator[dict[str, str]]:
    """Ada's private run, session and terminal."""
    (people_server.root / "ada.md").write_text("# Ada's\n")
    with people_server.client("ada") as client:
        run = people_server.run(client, "append: x", kind="editor", path="ada.md", mode="terminal")
        assert run["visibility"] == "private"
        asking = people_server.run(
            client, "append: x", kind="editor", path="ada.md", mode="headless", permission_mode="ask", wait=0
        )
        asked = until(lambda: client.get("approvals", params={"run_id": asking["id"]}).json()["items"])
        yield {
            **_ids(run),
            "approval": asked[0]["approval"]["id"],
            "agent": _agent(client, "adas"),
            "plan": _plan(client),
        }
        client.post(f"runs/{asking['id']}/cancel", json={})


def _agent(client: httpx.Client, slug: str) -> str:
    """A private agent of the caller's, and a play of the same name that it carries out."""
    fields = {"runtime": "demo", "heartbeat_enabled": False}
    client.post("agents", json={"slug": slug, "template": "research", "fields": fields}).raise_for_status()
    client.post("plays", json={"slug": slug, "body": "hello", "fields": {"agent": slug}}).raise_for_status()
    return slug


def _plan(client: httpx.Client) -> str:
    """A private plan of the caller's, without steps."""
    return str(client.post("plans", json={"title": "Ada's"}).raise_for_status().json()["id"])


def _ids(run: dict[str, Any]) -> dict[str, str]:
    """The objects of a run; its recording has its terminal's id."""
    terminal = run["terminal_id"]
    return {"run": run["id"], "session": run["session_id"], "terminal": terminal, "recording": terminal}


def call(client: httpx.Client, path: str, method: str, ids: dict[str, str], **named: Any) -> httpx.Response:
    row = ROWS[path]
    address = _address(path, row, ids)
    body = {"json": row.bodies[method]} if method in row.bodies else {}
    return client.request(method.upper(), address, **body, **named)


def _address(path: str, row: Row, ids: dict[str, str]) -> str:
    name = ids["agent"] if row.owned == "agent" else "demo"
    parts = {"{id}": ids.get(row.owned, "x"), "{name}": name, "{position}": "1", "{path}": "notes.md"}
    for part, value in parts.items():
        path = path.replace(part, value)
    return path


def test_every_route_has_a_row_and_every_method_is_guarded() -> None:
    assert {path for path, _ in ROUTES} == set(ROWS)
    for path, handler in ROUTES:
        defined = {m for m in ("get", "post", "put", "patch", "delete", "head") if m in vars(handler)}
        assert defined == set(operations(handler)), f"{path} has a method without a mark"


def test_two_routes_alone_ask_for_no_login() -> None:
    assert [path for path, _, mark in CALLS if mark.signed] == ["hooks/channels/{id}", "hooks/plays/{name}"]


@pytest.fixture(scope="module")
def clients(people_server: Server) -> Iterator[dict[str, httpx.Client]]:
    """One client for each kind of caller, kept for all routes."""
    origins = ("http://evil.example", "null", "http://127.0.0.1:1")
    with ExitStack() as stack:
        opened = {
            "nobody": people_server.client(None),
            "a bad token": people_server.client(None, Authorization="token wrong"),
            "a reader": people_server.client("rea"),
            "another user": people_server.client("ben"),
            "the owner": people_server.client("ada"),
            **{f"the owner from {origin}": people_server.client("ada", Origin=origin) for origin in origins},
        }
        clients = {who: stack.enter_context(client) for who, client in opened.items()}
        for header in ("X-XSRFToken", "Origin"):
            client = stack.enter_context(people_server.browser_client("ada"))
            del client.headers[header]
            clients[f"a cookie without {header}"] = client
        yield clients


@pytest.mark.parametrize(("path", "method", "mark"), CALLS, ids=NAMES)
def test_every_route_answers_each_caller_as_it_should(
    people_server: Server,
    clients: dict[str, httpx.Client],
    adas: dict[str, str],
    subtests: pytest.Subtests,
    path: str,
    method: str,
    mark: Any,
) -> None:
    row = ROWS[path]
    for who in ("nobody", "a bad token"):
        with subtests.test(who):
            reply = call(clients[who], path, method, adas)
            assert reply.status_code in (401, 403) and "error" in reply.json()

    with subtests.test("a reader reads, and does nothing else"):
        reply = call(clients["a reader"], path, method, adas)
        if mark.action != "read":
            assert reply.status_code == 403
        elif row.owned:
            assert reply.status_code == 404  # private to Ada
        else:
            assert reply.status_code in (LET_IN | {404} if method in row.misses else LET_IN)

    for who in (who for who in clients if who.startswith("the owner from")):
        with subtests.test(who):
            assert call(clients[who], path, method, adas).status_code == 403

    for who in (who for who in clients if who.startswith("a cookie") and method == "post"):
        with subtests.test(who):
            assert call(clients[who], path, method, adas).status_code == 403

    if row.owned:
        with subtests.test("to another user the object is as if it were not there"):
            reply = call(clients["another user"], path, method, adas)
            missing = call(clients["another user"], path, method, dict.fromkeys(adas, "01aaaaaaaaaaaaaaaaaaaaaaaa"))
            assert reply.status_code == missing.status_code == 404
            assert reply.json()["error"]["message"] == missing.json()["error"]["message"]

    if method not in row.executor_may_not:
        with subtests.test("the owner, with a parameter that the route does not know"):
            reply = call(clients["the owner"], path, method, adas, params={"limti": "1"})
            error = reply.json()["error"]
            assert (reply.status_code, error["kind"], error["detail"]) == (400, "invalid", {"field": "limti"})
            assert "no parameter limti" in error["message"]
            assert all(known.name in error["message"] for known in mark.query)

    with subtests.test("the owner"):
        reply = call(clients["the owner"], path, method, {**adas, **_expendable(people_server, method, path)})
        if method in row.executor_may_not:
            assert reply.status_code == 403
        elif method in row.misses:
            assert (reply.status_code, reply.json()["error"]["kind"]) == (404, "not_found")
        else:
            assert reply.status_code in LET_IN, reply.text


def test_every_route_refuses_an_owner_whose_right_was_removed(
    people_server: Server, clients: dict[str, httpx.Client], adas: dict[str, str], subtests: pytest.Subtests
) -> None:
    people_server.set_rights({**RIGHTS, "ada": []})
    try:
        for path, method, _ in CALLS:
            with subtests.test(f"{method} {path}"):
                reply = call(clients["the owner"], path, method, adas)
                assert (reply.status_code, reply.json()["error"]["kind"]) == (403, "not_allowed")
    finally:
        people_server.set_rights(RIGHTS)


def _expendable(server: Server, method: str, path: str) -> dict[str, str]:
    """Objects of Ada's that may be removed."""
    if path.startswith(("agents/{name}", "plays/{name}")):
        with server.client("ada") as client:
            return {"agent": _agent(client, f"spare-{next(NUMBERS)}")}
    if path.startswith("plans/{id}"):
        with server.client("ada") as client:
            return {"plan": _plan(client)}
    if method != "delete" and not path.endswith(("cancel", "now", "close", "pause", "stop")):
        return {}
    name = f"spare-{next(NUMBERS)}.md"  # a separate session: the one before may be paused
    (server.root / name).write_text("x\n")
    with server.client("ada") as client:
        run = server.run(client, "append: x", kind="editor", path=name, mode="terminal")
    return _ids(run)


def test_lists_leave_out_what_belongs_to_others(people_server: Server, adas: dict[str, str]) -> None:
    with people_server.client("ben") as ben, people_server.client("root") as root:
        for path in ("runs", "terminals", "editor/sessions", "approvals"):
            hidden, known = ben.get(path).text, root.get(path).text
            assert not any(adas[name] in hidden for name in ("run", "session", "approval"))
            assert any(adas[name] in known for name in ("session", "terminal", "approval"))


SIGNED = [path for path, _, mark in CALLS if mark.signed]
CHANGES = [each for each in CALLS if each[1] in ("post", "put", "patch", "delete") and each[0] not in SIGNED]
NOT_JSON = {
    "a form": {"data": {"kind": "manual", "instruction": "x"}},
    "an empty form": {"headers": {"Content-Type": "application/x-www-form-urlencoded"}},
    "an empty text": {"headers": {"Content-Type": "text/plain"}},
    "nearly JSON": {"headers": {"Content-Type": "application/json-seq"}, "content": b"{}"},
    "JSON that is not called so": {"content": b"{}"},
}


@pytest.mark.parametrize(("path", "method", "mark"), CHANGES, ids=[f"{m.upper()} {p}" for p, m, _ in CHANGES])
def test_what_is_not_json_changes_nothing(
    people_server: Server, adas: dict[str, str], path: str, method: str, mark: Any
) -> None:
    row = ROWS[path]
    with people_server.browser_client("root") as client:
        address = _address(path, row, adas)
        for name, request in NOT_JSON.items():
            reply = client.request(method, address, **request)
            assert (reply.status_code, reply.json()["error"]["kind"]) == (415, "not_json"), name


BODYLESS = [each for each in CHANGES if each[2].body is None and each[1] == "post"]


@pytest.mark.parametrize(("path", "method", "mark"), BODYLESS, ids=[path for path, _, _ in BODYLESS])
def test_a_change_without_a_body_needs_no_content_type_but_the_xsrf_header(
    people_server: Server, adas: dict[str, str], path: str, method: str, mark: Any
) -> None:
    ids = {**adas, **_expendable(people_server, method, path)}
    address = _address(path, ROWS[path], ids)
    with people_server.browser_client("root" if "post" in ROWS[path].executor_may_not else "ada") as client:
        xsrf = client.headers.pop("X-XSRFToken")
        assert client.post(address).status_code == 403
        reply = client.post(address, headers={"X-XSRFToken": xsrf})
        assert reply.status_code in (LET_IN | {404} if method in ROWS[path].misses else LET_IN)


# --- upgrades --------------------------------------------------------------------------------

SOCKETS = [path for path, method, mark in CALLS if mark.socket]
CALLERS = {
    "no login": ({"username": "ada", "Authorization": ""}, {401, 403}),
    "bad token": ({"username": "ada", "Authorization": "token wrong"}, {401, 403}),
    "foreign origin": ({"username": "ada", "Origin": "http://evil.example"}, {403}),
    "null origin": ({"username": "ada", "Origin": "null"}, {403}),
    "other owner": ({"username": "ben"}, {404}),
    "executor": ({"username": "ada"}, {101}),
    "same origin": ({"username": "ada", "Origin": "same"}, {101}),
    "administrator": ({"username": "root"}, {101}),
}


@pytest.mark.parametrize(("path", "who"), list(itertools.product(SOCKETS, CALLERS)))
def test_every_upgrade_asks_who_and_from_where(
    people_server: Server, adas: dict[str, str], path: str, who: str
) -> None:
    caller, expected = CALLERS[who]
    caller = {name: people_server.origin if value == "same" else value for name, value in caller.items()}
    if path == "events" and who == "other owner":
        expected = {101}  # everybody's stream, filtered by object
    assert _upgrade(people_server, path, adas, **caller) in expected


@pytest.mark.parametrize("path", SOCKETS)
def test_no_upgrade_without_the_right(people_server: Server, adas: dict[str, str], path: str) -> None:
    people_server.set_rights({**RIGHTS, "ada": []})
    try:
        assert _upgrade(people_server, path, adas, username="ada") == 403
    finally:
        people_server.set_rights(RIGHTS)


@pytest.mark.slow(reason="a connection is asked for its right every 3 s")
def test_a_right_lost_while_connected_closes_the_connection_within_five_seconds(
    people_server: Server, adas: dict[str, str]
) -> None:
    async def watch() -> int | None:
        sockets = [
            await connect(people_server, "events"),
            await connect(people_server, f"terminals/{adas['terminal']}/ws"),
        ]
        people_server.set_rights({**RIGHTS, "ada": []})
        async with asyncio.timeout(8):  # within five; a busy machine may take longer
            for socket in sockets:
                while await socket.read_message() is not None:
                    pass
        return sockets[0].close_code

    try:
        assert asyncio.run(watch()) == 4403
    finally:
        people_server.set_rights(RIGHTS)


def _upgrade(server: Server, path: str, ids: dict[str, str], **caller: str) -> int:
    address = path.replace("{id}", ids.get(ROWS[path].owned, ""))

    async def attempt() -> int:
        try:
            socket = await connect(server, address, **caller)
        except HTTPClientError as error:
            return error.code
        socket.close()
        return 101

    return asyncio.run(attempt())
