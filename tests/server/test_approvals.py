"""Questions of agents over HTTP: who may answer, once, and the outcome of those that nobody answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from harness.server import Server, until
from harness.sockets import connect, frames


def start(server: Server, client: httpx.Client, name: str, **fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A run that asks before it edits, and its question."""
    (server.root / f"{name}.md").write_text("# Page\n")
    asked = {"permission_mode": "ask", "mode": "headless", "wait": 0, **fields}
    run = server.run(client, "append: one", kind="editor", path=f"{name}.md", **asked)
    return run, until(lambda: waiting(client, run["id"]), what="its question")[0]["approval"]


def waiting(client: httpx.Client, run_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("approvals", params={"run_id": run_id, "state": "waiting"}).json()["items"]
    return found


def final(client: httpx.Client, run: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = until(
        lambda: (now := client.get(f"runs/{run['id']}").json())["finished_at"] and now, what="the run's end"
    )
    return found


@pytest.fixture
def ada(people_server: Server) -> Iterator[httpx.Client]:
    with people_server.browser_client("ada") as client:
        yield client


def test_a_question_tells_everything_that_a_person_needs_to_decide(people_server: Server, ada: httpx.Client) -> None:
    run, approval = start(people_server, ada, "told")
    now = ada.get(f"runs/{run['id']}").json()
    assert (now["state"], now["reason"]) == ("waiting", "Demo agent asks to use Edit: told.md")
    assert (approval["title"], approval["kind"], approval["state"]) == (
        "Demo agent asks to edit a file",
        "edit",
        "waiting",
    )
    parts = {part["label"]: part["text"] for part in approval["parts"]}
    assert parts == {"File": "told.md", "Old text": "# Page\n", "New text": "# Page\n\none\n"}
    assert approval["edits"] == [{"path": "told.md", "cell": "", "old": "# Page\n", "new": "# Page\n\none\n"}]
    assert (approval["folder"], approval["risks"]) == (str(people_server.root), ["no_sandbox"])
    assert [option["label"] for option in approval["options"]] == ["Allow once", "Allow for this session", "Deny"]
    assert ada.get("approvals", params={"run_id": run["id"]}).json()["items"][0]["may_answer"] is True
    answered = ada.post(f"approvals/{approval['id']}", json={"option": "allow"}).json()
    assert (answered["state"], answered["outcome"]) == ("answered", "Allowed once")
    assert answered["answered_by"]["display_name"] == "Ada Lind"
    assert final(ada, run)["state"] == "succeeded"
    assert (people_server.root / "told.md").read_text().endswith("one\n")
    told = frames(people_server, f"runs/{run['id']}/output", until_type="end")[:-1]
    assert "QuestionAsked" in [frame["event"]["type"] for frame in told]


def test_a_no_reaches_the_agent_with_its_reason_and_is_no_failure(people_server: Server, ada: httpx.Client) -> None:
    run, approval = start(people_server, ada, "denied")
    said = ada.post(f"approvals/{approval['id']}", json={"option": "deny", "note": "use the replica"}).json()
    assert said["outcome"] == "Denied: use the replica"
    ended = final(ada, run)
    assert (ended["state"], ended["result"]["text"]) == ("succeeded", "use the replica")
    assert (people_server.root / "denied.md").read_text() == "# Page\n"


def test_only_the_owner_at_a_browser_answers(people_server: Server, ada: httpx.Client) -> None:
    run, approval = start(people_server, ada, "whose")
    address = f"approvals/{approval['id']}"
    with people_server.client("ada") as program, people_server.browser_client("ben") as ben:
        refused = program.post(address, json={"option": "allow"})
        assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "not_allowed")
        assert program.get("approvals").json()["items"][0]["may_answer"] is False
        assert ben.post(address, json={"option": "allow"}).status_code == 404  # private to Ada
    assert ada.get(address).json()["state"] == "waiting"
    ada.post(f"runs/{run['id']}/cancel", json={})


def test_the_first_answer_counts_and_the_second_hears_whose_it_was(people_server: Server, ada: httpx.Client) -> None:
    run, approval = start(people_server, ada, "twice")
    address = f"approvals/{approval['id']}"
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda option: ada.post(address, json={"option": option}), ["allow", "deny"] * 4))
    assert sorted(reply.status_code for reply in replies) == [200] + [409] * 7
    late = ada.post(address, json={"option": "deny"}).json()["error"]
    assert late["message"].startswith("This question is no longer open.") and late["message"].endswith("by Ada Lind.")
    assert final(ada, run)["state"] == "succeeded"


@pytest.mark.parametrize(
    ("body", "field"),
    [({"option": "everything"}, "option"), ({"option": "deny", "note": "x" * 4001}, "note"), ({"answer": "yes"}, None)],
)
def test_a_bad_answer_is_refused_and_the_question_stays_open(
    people_server: Server, ada: httpx.Client, body: dict[str, str], field: str | None
) -> None:
    run, approval = start(people_server, ada, "bad")
    reply = ada.post(f"approvals/{approval['id']}", json=body)
    assert reply.status_code == 400
    assert field is None or reply.json()["error"]["detail"]["field"] == field
    assert ada.get(f"approvals/{approval['id']}").json()["state"] == "waiting"
    ada.post(f"runs/{run['id']}/cancel", json={})


def test_an_answer_in_words_needs_them_and_they_are_what_was_answered(people_server: Server, ada: httpx.Client) -> None:
    run = people_server.run(ada, "ask a question", permission_mode="ask", mode="headless", wait=0)
    asked = until(lambda: waiting(ada, run["id"]), what="its question")[0]["approval"]
    assert [(part["label"], part["text"].splitlines()[1:]) for part in asked["parts"]] == [
        ("Question", ["- Yes", "- No"])
    ]
    address = f"approvals/{asked['id']}"
    assert ada.post(address, json={"option": "words", "note": "  "}).json()["error"]["detail"]["field"] == "note"
    assert ada.post(address, json={"option": "words", "note": "yes, both"}).json()["outcome"] == "Answered: yes, both"
    assert final(ada, run)["result"]["text"] == "You said yes."


def test_a_list_of_an_unknown_state_is_refused(people_server: Server, ada: httpx.Client) -> None:
    refused = ada.get("approvals", params={"state": "answered"})
    assert (refused.status_code, refused.json()["error"]["detail"]["field"]) == (400, "state")


def test_with_the_run_its_question_ends(people_server: Server, ada: httpx.Client) -> None:
    run, approval = start(people_server, ada, "gone")
    assert ada.post(f"runs/{run['id']}/cancel", json={}).json()["state"] == "cancelled"
    closed = until(
        lambda: (now := ada.get(f"approvals/{approval['id']}").json())["state"] != "waiting" and now, what="its end"
    )
    assert (closed["state"], closed["outcome"]) == ("withdrawn", "The run ended before anybody answered")
    assert ada.post(f"approvals/{approval['id']}", json={"option": "allow"}).status_code == 409


def test_what_stands_in_a_terminal_is_answered_there_or_here(people_server: Server, ada: httpx.Client) -> None:
    run, approval = start(people_server, ada, "both", mode="terminal")
    assert approval["in_terminal"] and approval["terminal_id"]
    typed = ada.post(f"terminals/{approval['terminal_id']}/input", json={"text": "y"})
    assert typed.status_code == 204, typed.text
    closed = until(
        lambda: (now := ada.get(f"approvals/{approval['id']}").json())["state"] != "waiting" and now, what="its end"
    )
    assert (closed["state"], closed["outcome"]) == ("withdrawn", "Answered in the terminal")
    assert final(ada, run)["state"] == "succeeded"
    again = people_server.run(ada, "append: two", kind="editor", path="both.md", session_id=run["session_id"],
                              permission_mode="ask", mode="terminal", wait=0)  # fmt: skip
    second = until(lambda: waiting(ada, again["id"]), what="the next question")[0]["approval"]
    ada.post(f"approvals/{second['id']}", json={"option": "allow"})
    assert final(ada, again)["state"] == "succeeded"
    assert (people_server.root / "both.md").read_text().split() == ["#", "Page", "one", "two"]


def test_questions_and_their_ends_are_told_in_the_event_stream(people_server: Server, ada: httpx.Client) -> None:
    def work() -> str:
        run, approval = start(people_server, ada, "stream")
        ada.post(f"approvals/{approval['id']}", json={"option": "allow"})
        final(ada, run)
        return str(approval["id"])

    async def listen(username: str, count: int) -> tuple[str, list[dict[str, Any]]]:
        socket = await connect(people_server, "events?kinds=approval_requested,approval_closed", username=username)
        assert json.loads(str(await socket.read_message()))["type"] == "hello"
        asked = await asyncio.to_thread(work)
        async with asyncio.timeout(20):
            return asked, [json.loads(str(await socket.read_message()))["event"] for _ in range(count)]

    asked, told = asyncio.run(listen("ada", 2))
    assert [(event["type"], event["approval"]["id"]) for event in told] == [
        ("approval_requested", asked),
        ("approval_closed", asked),
    ]


@pytest.fixture(scope="module")
def hasty_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Nobody has more than three seconds to answer."""
    arguments = ("--CabinetApp.trust=always", "--CabinetApp.approval_seconds=3")
    server = Server(tmp_path_factory.mktemp("hasty"), arguments=arguments).start()
    yield server
    server.stop()


@pytest.mark.long(reason="waits for the time limit of a question")
def test_what_nobody_answers_is_denied_and_what_stands_in_a_terminal_is_left_to_it(hasty_server: Server) -> None:
    with hasty_server.browser_client("ada") as client:
        run, approval = start(hasty_server, client, "late")
        ended = final(client, run)
        assert ended["state"] == "succeeded" and ended["result"]["text"] == "Denied, nobody answered in 3 s."
        closed = client.get(f"approvals/{approval['id']}").json()
        assert (closed["state"], closed["outcome"]) == ("expired", "Denied, nobody answered in 3 s")
        run, approval = start(hasty_server, client, "shown", mode="terminal")
        until(lambda: client.get(f"approvals/{approval['id']}").json()["state"] == "expired", what="its end")
        assert client.get(f"runs/{run['id']}").json()["state"] == "waiting"
        client.post(f"terminals/{approval['terminal_id']}/input", json={"text": "y"})
        assert final(client, run)["state"] == "succeeded"


@pytest.mark.long(reason="test_crash.py kills a server in the quick tier")
@pytest.mark.slow  # a server that dies and one that starts
def test_a_crash_closes_the_questions_of_its_runs(tmp_path_factory: pytest.TempPathFactory) -> None:
    server = Server(tmp_path_factory.mktemp("crash")).start()
    with server.browser_client("ada") as client:
        _, approval = start(server, client, "crashed")
    server.kill()
    server.start()
    try:
        with server.browser_client("ada") as client:
            found = client.get(f"approvals/{approval['id']}").json()
            assert (found["state"], found["outcome"]) == ("withdrawn", "The run ended before anybody answered")
    finally:
        server.stop()
