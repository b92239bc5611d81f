"""Real CLIs in containers whose image has them, with the suite's model service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from harness.containers import Containers
from harness.server import Server, until

from jupyter_cabinet.testing.model_script import Answer
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import installed
from .servers import running_server
from .test_own_tools import using
from .test_product_every_cli import write

pytestmark = [
    pytest.mark.realcli,
    pytest.mark.long(reason="makes an image with the programs of two CLIs"),
]
NAMES = ("claude", "opencode")  # each is one file


@pytest.fixture(scope="module")
def server(
    service: ModelServer, docker_engine: Containers, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    programs = {name: installed(name) for name in NAMES}
    image = docker_engine.add_image(tmp_path_factory.mktemp("image"), name="localhost/clis:latest", programs=programs)
    arguments = ("--CabinetApp.trust=always", f"--CabinetApp.docker_image={image}", "--CabinetApp.runner=docker")
    address = {"DOCKER_HOST": docker_engine.address}
    with running_server(NAMES, service.url, arguments=arguments, environment=address) as server:
        yield server


@pytest.fixture
def model(service: ModelServer) -> ModelServer:
    service.reset()
    return service


def run(server: Server, instruction: str, **fields: Any) -> dict[str, Any]:
    """The record of a run, when it has ended."""
    with server.client("ada") as client:
        id = server.run(client, instruction, wait=0, **fields)["id"]
        ended: dict[str, Any] = until(
            lambda: (run := client.get(f"runs/{id}").json())["state"] in ("succeeded", "failed") and run, seconds=60
        )
        return ended


@pytest.mark.parametrize("mode", ["headless", "terminal"])
@pytest.mark.parametrize("name", NAMES)
def test_it_changes_a_file_and_remembers_in_a_container(
    server: Server, model: ModelServer, name: str, mode: str
) -> None:
    document = server.root / f"{name}-{mode}.md"
    document.write_text("# Doc\n")
    model.script = [write(name, document, "from the model"), Answer(text="I changed it.")]
    shared = {"kind": "editor", "path": document.name, "runtime": name, "mode": mode}
    first = run(server, "add a line", **shared)
    assert (first["state"], first["isolated"], first["warnings"]) == ("succeeded", True, []), first["failure"]
    assert (first["where"]["runner"], first["result"]["text"]) == ("docker", "I changed it.")
    assert document.read_text() == "from the model"

    model.script = [Answer(text="A line.")]
    second = run(server, "what did you add?", session_id=first["session_id"], **shared)
    assert (second["state"], second["isolated"], second["warnings"]) == ("succeeded", True, []), second
    assert "add a line" in json.dumps(model.requests[-1].body)


@pytest.mark.parametrize("name", NAMES)
def test_its_agent_uses_our_tools_in_a_container(server: Server, model: ModelServer, name: str) -> None:
    model.script = using("memory_append", kind="learning", text="Plums are blue.")
    with server.client("ada") as client:
        fields = {"runtime": name, "permission_mode": "ask"}
        client.post("agents", json={"slug": f"in-{name}", "template": "research", "fields": fields}).raise_for_status()
        id = client.post(f"agents/in-{name}/run").raise_for_status().json()["id"]
        found = until(
            lambda: (run := client.get(f"runs/{id}").json())["state"] in ("succeeded", "failed") and run, seconds=60
        )
        assert (found["state"], found["isolated"]) == ("succeeded", True), found
        assert found["where"]["image"] == "localhost/clis:latest"
    assert "Plums are blue." in (server.root / f".agents/in-{name}/memory/learnings.md").read_text()
