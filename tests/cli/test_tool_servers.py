"""A person's own tool server in every real CLI that takes some: the model uses an approved tool, without a question."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import sys
from collections.abc import Iterator

import pytest
from harness import toy_http_tools, toy_tools
from harness.backend import ADA, Place
from harness.bubblewrap import NEEDS_BUBBLEWRAP

from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer
from jupyter_cabinet.tool_servers.model import NewToolServer, ToolApproval

from .test_own_tools import environment, place  # noqa: F401 - a fixture

pytestmark = pytest.mark.realcli
SECONDS = 60


def put(place: Place, name: str) -> None:  # noqa: F811
    agent = place.root / ".agents" / "ada"
    agent.mkdir(parents=True)
    fields = f"name: Ada\nruntime: {name}\npermission_mode: ask\ntool_servers: [toy]\nheartbeat_enabled: false\n"
    (agent / "persona.md").write_text(f"---\n{fields}tool_preset: full\n---\n\nYou add numbers.\n")
    shutil.copy(str(toy_tools.__file__), place.root)  # an isolated run sees nothing but its folder
    (place.root / "offer.json").write_text(json.dumps({"description": "Add two numbers.", "extra": True}))


def script(asked: ModelRequest) -> Answer:
    """The model uses the tool `add`, as its CLI names it."""
    tool = next((each for each in asked.tools if each.endswith("add") and "toy" in each), "")
    return Answer(text="Done.") if asked.turn else Answer(tools=(ToolUse(name=tool, arguments={"a": 2, "b": 3}),))


def local(place: Place) -> NewToolServer:  # noqa: F811
    return NewToolServer(
        name="toy",
        program=sys.executable,
        arguments=("-P", str(place.root / "toy_tools.py"), str(place.root / "offer.json")),
        environment={"TOKEN": "t0ken-t0ken"},
    )


def worked(place: Place, variables: dict[str, str], new: NewToolServer, *, isolate: bool) -> Run:  # noqa: F811
    async def work() -> Run:
        async with place.backend(environment=variables) as backend:
            view = await backend.tool_servers.add(new, ADA)
            assert not view.problem
            await backend.tool_servers.approve("toy", ToolApproval(tools=("add",), hash=view.hash), ADA)
            body = {"kind": "message", "agent": "ada", "instruction": "Add 2 and 3.", "isolate": isolate}
            run = await backend.runs.submit(backend.runs.kinds.convert(body), ADA)
            await backend.runs.wait(run.id, SECONDS)
            return await backend.runs.get(run.id, ADA)

    return asyncio.run(work())


@pytest.mark.parametrize("name", ["claude", "codex", "opencode"])
def test_an_agent_uses_an_approved_tool_and_sees_no_other(place: Place, model: ModelServer, name: str) -> None:  # noqa: F811
    put(place, name)
    model.script = script
    run = worked(place, environment(place, name, model), local(place), isolate=False)
    assert run.state == "succeeded" and "tool server" not in " ".join(run.warnings), run.reason
    bodies = [json.dumps(request.body) for request in model.requests]
    assert "The sum is 5" in bodies[-1] and not any("Take all." in body for body in bodies)


@NEEDS_BUBBLEWRAP
@pytest.mark.parametrize("name", ["claude", "codex"])
def test_an_isolated_agent_uses_it_inside(place: Place, model: ModelServer, name: str) -> None:  # noqa: F811
    put(place, name)
    model.script = script
    run = worked(place, environment(place, name, model), local(place), isolate=True)
    assert (run.state, run.isolated) == ("succeeded", True), run.reason
    assert "The sum is 5" in json.dumps(model.requests[-1].body)


@contextlib.contextmanager
def remote(place: Place) -> Iterator[tuple[NewToolServer, toy_http_tools.ToyHttpTools]]:  # noqa: F811
    """A remote tool server that wants a header, whose value is a variable of the server."""
    with toy_http_tools.serving(place.root / "offer.json", token="t0ken-t0ken") as toy:
        headers = {"Authorization": "Bearer ${TOY_TOKEN}"}
        yield NewToolServer(name="toy", address=toy.address, headers=headers), toy


REMOTE_USERS = ["claude", "codex", "opencode"]


@pytest.mark.parametrize("name", REMOTE_USERS)
def test_an_agent_uses_an_approved_tool_of_a_remote_server(place: Place, model: ModelServer, name: str) -> None:  # noqa: F811
    put(place, name)
    model.script = script
    variables = {**environment(place, name, model), "TOY_TOKEN": "t0ken-t0ken"}
    with remote(place) as (new, toy):
        run = worked(place, variables, new, isolate=False)
    assert run.state == "succeeded" and "tool server" not in " ".join(run.warnings), run.reason
    bodies = [json.dumps(request.body) for request in model.requests]
    assert "The sum is 5" in bodies[-1] and not any("Take all." in body for body in bodies)
    assert not [path for path in place.root.rglob("*") if path.is_file() and b"t0ken-t0ken" in path.read_bytes()]
    assert {headers.get("user-agent", "")[:12] for _, _, headers in toy.asked} == {"python-httpx"}


@NEEDS_BUBBLEWRAP
@pytest.mark.parametrize("name", ["claude", "codex"])
def test_an_isolated_agent_reaches_the_remote_server_of_its_list(place: Place, model: ModelServer, name: str) -> None:  # noqa: F811
    put(place, name)
    model.script = script
    variables = {**environment(place, name, model), "TOY_TOKEN": "t0ken-t0ken"}
    with remote(place) as (new, _):
        run = worked(place, variables, new, isolate=True)
    assert (run.state, run.isolated) == ("succeeded", True), run.reason
    assert "The sum is 5" in json.dumps(model.requests[-1].body)


@pytest.mark.parametrize("name", ["gemini", "pi"])
def test_a_cli_that_takes_no_tool_servers_says_so(place: Place, model: ModelServer, name: str) -> None:  # noqa: F811
    put(place, name)
    model.script = script
    run = worked(place, environment(place, name, model), local(place), isolate=False)
    assert run.state == "succeeded" and "does not support tool servers" in " ".join(run.warnings), run.reason
