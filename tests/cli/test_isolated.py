"""Every real CLI in a sandbox, over HTTP, with the suite's model service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from harness.bubblewrap import NEEDS_BUBBLEWRAP
from harness.server import Server

from jupyter_cabinet.testing.model_script import Answer
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import NAMES, installed
from .servers import running_server
from .test_product_every_cli import write

pytestmark = [pytest.mark.realcli, NEEDS_BUBBLEWRAP]
ACP = ("gemini", "opencode")


@pytest.fixture(scope="module")
def server(service: ModelServer) -> Iterator[Server]:
    arguments = ("--CabinetApp.trust=always", "--CabinetApp.sandbox=always")
    acp = {f"JUPYTER_CABINET_ACP_{name.upper()}_PATH": str(installed(name)) for name in ACP}
    with running_server(NAMES, service.url, arguments=arguments, environment=acp) as server:
        yield server


@pytest.fixture
def model(service: ModelServer) -> ModelServer:
    service.reset()
    return service


def run(server: Server, instruction: str, **fields: Any) -> dict[str, Any]:
    with server.client("ada") as client:
        return server.run(client, instruction, wait=60, **fields)


@pytest.mark.parametrize("mode", ["headless", "terminal"])
@pytest.mark.parametrize("name", NAMES)
def test_it_changes_a_file_and_remembers_in_a_sandbox(server: Server, model: ModelServer, name: str, mode: str) -> None:
    document = server.root / f"{name}-{mode}.md"
    document.write_text("# Doc\n")
    model.script = [write(name, document, "from the model"), Answer(text="I changed it.")]
    shared = {"kind": "editor", "path": document.name, "runtime": name, "mode": mode}
    first = run(server, "add a line", **shared)
    assert (first["state"], first["isolated"], first["warnings"]) == ("succeeded", True, []), first["reason"]
    assert first["result"]["text"] == "I changed it."
    assert document.read_text() == "from the model"

    model.script = [Answer(text="A line.")]
    second = run(server, "what did you add?", session_id=first["session_id"], **shared)
    assert (second["state"], second["isolated"], second["warnings"]) == ("succeeded", True, []), second
    assert "add a line" in json.dumps(model.requests[-1].body)


@pytest.mark.parametrize("name", ACP)
def test_an_agent_that_speaks_acp_changes_a_file_in_a_sandbox(server: Server, model: ModelServer, name: str) -> None:
    document = server.root / f"acp-{name}.md"
    document.write_text("# Doc\n")
    model.script = [write(name, document, "from the model"), Answer(text="I changed it.")]
    found = run(server, "add a line", kind="editor", path=document.name, runtime=f"acp-{name}", mode="headless")
    assert (found["state"], found["isolated"], found["warnings"]) == ("succeeded", True, []), found["reason"]
    assert document.read_text() == "from the model"
