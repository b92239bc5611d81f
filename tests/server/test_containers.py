"""A server with an image: runs work in containers, isolated, and leave nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness import containers
from harness.containers import Containers
from harness.server import Server, until

pytestmark = [
    pytest.mark.long(reason="starts podman, a server and containers"),
]
WAITS = "It has not answered yet."
CHOICE = {"kind": "editor", "path": "a.md", "mode": "headless"}


@pytest.fixture
def server(tmp_path: Path, docker_engine: Containers) -> Iterator[Server]:
    arguments = ("--CabinetApp.trust=always", f"--CabinetApp.docker_image={containers.IMAGE}")
    server = Server(tmp_path, arguments=arguments, environment={"DOCKER_HOST": docker_engine.address}).start()
    (server.root / "a.md").write_text("# A\n")
    yield server
    if server.is_running:
        server.stop()


def heartbeat(client: httpx.Client, agent: str) -> Any:
    """The record of a heartbeat that was started now, when it has ended."""
    id = client.post(f"agents/{agent}/run").raise_for_status().json()["id"]
    return until(lambda: (run := client.get(f"runs/{id}").json())["state"] in ("succeeded", "failed") and run)


def test_a_run_works_in_a_container(server: Server, docker_engine: Containers) -> None:
    with server.client("ada") as client:
        state = until(lambda: (found := client.get("health").json()["containers"])["reason"] != WAITS and found)
        assert state == {"image": containers.IMAGE, "works": True, "reason": "", "remedy": ""}
        run = server.run(client, "append: from inside", runner="docker", **CHOICE)
        assert (run["state"], run["where"]["runner"], run["where"]["image"]) == (
            "succeeded",
            "docker",
            containers.IMAGE,
        )
        assert run["isolated"]
    assert (server.root / "a.md").read_text() == "# A\n\nfrom inside\n"
    until(lambda: not docker_engine.left(), what="the end of the container")


def ended(client: httpx.Client, id: str) -> Any:
    """The record of a run, when it has ended."""
    return until(lambda: (run := client.get(f"runs/{id}").json())["state"] in ("succeeded", "failed") and run)


def test_a_cli_stays_open_in_a_container_and_further_instructions_stay_there(
    server: Server, docker_engine: Containers
) -> None:
    choice = {**CHOICE, "mode": "terminal", "wait": 0}
    with server.client("ada") as client:
        first = ended(client, server.run(client, "append: one", runner="docker", **choice)["id"])
        assert (first["state"], first["isolated"], first["warnings"]) == ("succeeded", True, []), first
        assert (first["where"]["runner"], first["where"]["image"]) == ("docker", containers.IMAGE)
        (container,) = docker_engine.left()
        session = {"session_id": first["session_id"]}
        second = ended(client, server.run(client, "append: two", **choice, **session)["id"])
        assert (second["state"], second["where"], second["terminal_id"]) == (
            "succeeded",
            first["where"],
            first["terminal_id"],
        )
        assert docker_engine.left() == [container]
        client.post(f"editor/sessions/{first['session_id']}/close", json={}).raise_for_status()
        until(lambda: not docker_engine.left(), what="the end of the container")
        again = ended(client, server.run(client, "append: again", **choice, **session)["id"])
        assert (again["state"], again["where"]) == ("succeeded", first["where"])
        assert (server.root / "a.md").read_text() == "# A\n\none\n\ntwo\n\nagain\n"

        outside = ended(client, server.run(client, "append: three", runner="local", **choice, **session)["id"])
        assert (outside["state"], outside["where"]["runner"]) == ("succeeded", "local")
        until(lambda: not docker_engine.left(), what="the end of the container")
        client.post(f"editor/sessions/{first['session_id']}/close", json={}).raise_for_status()


def test_what_an_agent_in_the_terminal_of_a_container_asks_is_answered(
    server: Server, docker_engine: Containers
) -> None:
    choice = {**CHOICE, "mode": "terminal", "permission_mode": "ask", "runner": "docker", "wait": 0}
    with server.browser_client("ada") as client:
        run = server.run(client, "append: allowed", **choice)
        (question,) = until(lambda: client.get("approvals", params={"state": "waiting"}).json()["items"])
        client.post(f"approvals/{question['approval']['id']}", json={"option": "allow"}).raise_for_status()
        finished = ended(client, run["id"])
        assert finished["state"] == "succeeded" and "allowed" in (server.root / "a.md").read_text()
        client.delete(f"terminals/{finished['terminal_id']}").raise_for_status()
        until(lambda: not docker_engine.left(), what="the end of the container")


def test_an_agent_works_in_a_container_of_the_image_in_its_persona(server: Server, docker_engine: Containers) -> None:
    docker_engine.client.images.get(containers.IMAGE).tag("localhost/cabinet-agent", "2")
    with server.client("ada") as client:
        fields = {"runtime": "demo", "runner": "docker", "docker_image": "localhost/cabinet-agent:2"}
        client.post("agents", json={"slug": "boxed", "template": "research", "fields": fields}).raise_for_status()
        run = heartbeat(client, "boxed")
        assert (run["state"], run["isolated"], run["where"]["image"]) == (
            "succeeded",
            True,
            "localhost/cabinet-agent:2",
        )


def test_an_image_that_is_missing_is_the_reason_of_a_failure_and_nothing_works_outside(server: Server) -> None:
    with server.client("ada") as client:
        fields = {"runtime": "demo", "runner": "docker", "docker_image": "localhost/nowhere:1"}
        client.post("agents", json={"slug": "lost", "template": "research", "fields": fields}).raise_for_status()
        run = heartbeat(client, "lost")
        assert run["state"] == "failed" and run["where"] is None
        assert "The image localhost/nowhere:1 is not on this machine." in run["failure"]["message"]


def test_a_run_that_is_cancelled_ends_its_container(server: Server, docker_engine: Containers) -> None:
    with server.client("ada") as client:
        run = server.run(client, "sleep 600", wait=0, runner="docker", **CHOICE)
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "running", what="the run")
        assert docker_engine.left()
        client.post(f"runs/{run['id']}/cancel").raise_for_status()
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "cancelled", what="the end of the run")
    until(lambda: not docker_engine.left(), what="the end of the container")


def test_nothing_of_a_container_is_left_when_its_server_was_killed(server: Server, docker_engine: Containers) -> None:
    with server.client("ada") as client:
        run = server.run(client, "sleep 600", wait=0, runner="docker", **CHOICE)
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "running", what="the run")
    server.kill()
    until(lambda: not docker_engine.left(), what="the end of the container")
    server.start(again=True)
    with server.client("ada") as client:
        assert client.get(f"runs/{run['id']}").json()["state"] == "interrupted"
