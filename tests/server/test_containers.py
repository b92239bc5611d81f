"""A server with an image: runs work in containers, isolated, and leave nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import containers
from harness.containers import Containers
from harness.server import Server, until

pytestmark = [
    pytest.mark.long(reason="starts podman, a server and containers"),
    pytest.mark.skipif(bool(containers.missing()), reason=containers.missing()),
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
