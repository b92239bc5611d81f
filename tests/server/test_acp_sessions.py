"""Sessions of an agent that speaks the Agent Client Protocol and keeps none that can be read."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness.server import Server, ended, until

AGENT = Path(__file__).parents[1] / "harness" / "toy_acp_agent.py"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    place = tmp_path_factory.mktemp("acp")
    kept = place / "agent"
    kept.mkdir()
    agents = f'{{"toy": ["{sys.executable}", "{AGENT}"]}}'
    arguments = (
        "--CabinetApp.trust=always",
        f"--CabinetApp.acp_agents={agents}",
        "--CabinetApp.runtime_env=TOY_AGENT_HOME",
    )
    server = Server(place, arguments=arguments, environment={"TOY_AGENT_HOME": str(kept)})
    server.start()
    yield server
    server.stop()


def run(client: httpx.Client, instruction: str) -> dict[str, Any]:
    body = {"runtime": "toy", "instruction": instruction, "permission_mode": "edit"}
    made: dict[str, Any] = client.post("runs", params={"wait": 60}, json=body).json()
    return made


def found(client: httpx.Client, query: str, *, ids: int = 1) -> list[dict[str, Any]]:
    def look() -> list[dict[str, Any]] | None:
        items: list[dict[str, Any]] = client.get("sessions", params={"q": query}).json()["items"]
        return items if len(items) == ids else None

    return until(look, seconds=60, what=query)


def test_its_session_is_read_from_its_run_and_continued_through_the_same_runtime(server: Server) -> None:
    with server.client("ada") as client:
        first = run(client, "Remember the okapis")
        assert first["state"] == "succeeded", first
        (session,) = found(client, "okapis")
        assert (session["runtime"], session["title"], session["path"]) == ("toy", "Remember the okapis", ".")
        assert session["native_id"] == first["session_id"] and session["grade"] == "A"
        address = f"sessions/{session['id']}"
        entries = client.get(f"{address}/timeline").json()["items"]
        assert [each["kind"] for each in entries] == ["user", "tool_call", "assistant"]
        assert entries[1]["result"] == "a quiet place"
        assert [each["id"] for each in client.get(f"{address}/runs").json()["items"]] == [first["id"]]
        assert found(client, "quiet place")[0]["id"] == session["id"]

        body = {"instruction": "And now?", "permission_mode": "edit"}
        again = client.post(f"{address}/continue", json=body).json()
        assert again["runtime"] == "toy", again
        end = until(lambda: ended(client, again["id"]), seconds=60)
        assert end["state"] == "succeeded" and "okapis" in end["result"]["text"], end
        until(lambda: len(client.get(f"{address}/timeline").json()["items"]) == 6, seconds=60)
        asked = [each["text"] for each in client.get(f"{address}/timeline").json()["items"] if each["kind"] == "user"]
        assert asked == ["Remember the okapis", "And now?"]
        assert [each["id"] for each in client.get(f"{address}/runs").json()["items"]] == [again["id"], first["id"]]
        assert len(found(client, "okapis")) == 1


def test_a_session_about_a_document_shows_the_runs_that_continue_it(server: Server) -> None:
    (server.root / "ibexes.md").write_text("# Ibexes\n")
    with server.client("ada") as client:
        first = server.run(client, "Count the ibexes", kind="editor", runtime="toy", path="ibexes.md", mode="headless")
        assert first["state"] == "succeeded", first
        (session,) = found(client, "count ibexes")
        address = f"sessions/{session['id']}"
        runs = [first["id"]]
        for instruction in ("Are they horned?", "Are they hoofed?"):
            body = {"instruction": instruction, "permission_mode": "edit"}
            again = client.post(f"{address}/continue", json=body).json()
            end = until(lambda again=again: ended(client, again["id"]), seconds=60)
            assert end["state"] == "succeeded" and "Count the ibexes" in end["result"]["text"], end
            runs.insert(0, again["id"])
            assert [each["id"] for each in client.get(f"{address}/runs").json()["items"]] == runs


def test_a_refusal_is_an_error_of_the_session_and_a_deleted_run_leaves_it(server: Server) -> None:
    with server.client("ada") as client:
        failed = run(client, "fail to feed the tapirs")
        assert failed["state"] == "failed", failed
        (session,) = found(client, "tapirs")
        address = f"sessions/{session['id']}"
        assert [each["kind"] for each in client.get(f"{address}/timeline").json()["items"]] == ["user", "error"]
        assert client.delete(f"runs/{failed['id']}").status_code == 204
        until(lambda: client.get(address).json()["is_gone"], seconds=60)
        assert "tapirs" not in "".join(path.read_text() for path in server.place.rglob("sessions/recorded/*/toy/*"))


@pytest.mark.slow(reason="a server starts twice")
def test_what_ended_while_nothing_was_recorded_is_recorded_at_the_next_start(server: Server) -> None:
    with server.client("ada") as client:
        run(client, "Weigh the manatees")
        found(client, "manatees")
    assert server.stop() == 0
    for path in server.place.rglob("sessions/recorded/*/toy/*.jsonl"):
        path.unlink()
    server.start(again=True)
    with server.client("ada") as client:
        (session,) = found(client, "manatees")
        until(lambda: not client.get(f"sessions/{session['id']}").json()["is_gone"], seconds=60)
        assert client.get(f"sessions/{session['id']}/timeline").json()["items"][0]["text"] == "Weigh the manatees"


def test_a_runtime_says_whose_sessions_its_runs_are(server: Server) -> None:
    with server.client("ada") as client:
        known = {each["name"]: each["sessions_of"] for each in client.get("runtimes").json()["items"]}
    assert known["acp-claude"] == "claude" and known["acp-gemini"] == "gemini" and known["claude"] == ""
    assert known["toy"] == ""
