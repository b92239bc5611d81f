"""The tool servers that a person has set up in a real CLI: which of them a run without an agent has, and an agent's."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from harness import toy_tools
from harness.backend import ADA, Place

from jupyter_cabinet.testing.model_script import Answer
from jupyter_cabinet.testing.model_server import ModelServer

from .test_own_tools import environment, place, put_agent  # noqa: F401 - a fixture

pytestmark = pytest.mark.realcli
SECONDS = 90
# What runs start: without an agent, and of an agent with Cabinet's own tools. Here Claude Code trusts the folder, Codex
# does not, Gemini CLI does not ask for trust, and opencode knows no trust.
BOTH, MINE = {"mine", "theirs"}, {"mine"}
STARTED: dict[str, tuple[set[str], set[str]]] = {
    "claude": (BOTH, set()),
    "codex": (MINE, MINE),
    "gemini": (BOTH, BOTH),
    "opencode": (BOTH, BOTH),
}


def _files(place: Place, name: str) -> tuple[Path, Path]:  # noqa: F811
    home, root = place.folder / "home", place.root
    return {
        "claude": (home / ".claude.json", root / ".mcp.json"),
        "codex": (home / ".codex" / "config.toml", root / ".codex" / "config.toml"),
        "gemini": (home / ".gemini" / "settings.json", root / ".gemini" / "settings.json"),
        "opencode": (home / ".config" / "opencode" / "opencode.json", root / "opencode.json"),
    }[name]


def _started(place: Place, server: str) -> Path:  # noqa: F811
    return place.folder / f"{server}.started"


def _add(place: Place, name: str, file: Path, server: str) -> None:  # noqa: F811
    words = [sys.executable, "-P", str(toy_tools.__file__), str(place.folder / "offer.json")]
    script = f"echo started >> {_started(place, server)}; exec {shlex.join(words)}"  # noticed before Python has started
    command = ["/bin/sh", "-c", script]
    file.parent.mkdir(parents=True, exist_ok=True)
    if name == "codex":
        said = file.read_text() if file.exists() else ""
        about = f"command = {json.dumps(command[0])}\nargs = {json.dumps(command[1:])}\n"
        file.write_text(f"{said}\n[mcp_servers.{server}]\n{about}")
        return
    said = json.loads(file.read_text()) if file.exists() else {}
    entry: dict[str, Any] = {"command": command[0], "args": command[1:]}
    if name == "opencode":
        entry = {"type": "local", "command": command}
    said.setdefault("mcp" if name == "opencode" else "mcpServers", {})[server] = entry
    file.write_text(json.dumps(said))


@pytest.mark.parametrize("name", sorted(STARTED))
def test_a_run_without_an_agent_has_those_that_are_listed(place: Place, model: ModelServer, name: str) -> None:  # noqa: F811
    variables = environment(place, name, model)
    (place.folder / "offer.json").write_text(json.dumps({"description": "Add two numbers."}))
    put_agent(place, name, "full")
    for file, server in zip(_files(place, name), ("mine", "theirs"), strict=True):
        _add(place, name, file, server)
    model.script = lambda asked: Answer(text="Done.")

    async def work() -> tuple[dict[str, str], list[set[str]]]:
        async with place.backend(environment=variables) as backend:
            listed, problems = await backend.tool_servers_of_clis.find(ADA)
            assert problems == []
            seen = []
            about: list[dict[str, object]] = [{"kind": "manual", "runtime": name}, {"kind": "message", "agent": "ada"}]
            for values in about:
                body = {**values, "instruction": "Add 2 and 3.", "permission_mode": "ask", "mode": "headless"}
                if "agent" in values:
                    del body["permission_mode"]
                run = await backend.runs.submit(backend.runs.kinds.convert(body), ADA)
                await backend.runs.wait(run.id, SECONDS)
                ended = await backend.runs.get(run.id, ADA)
                assert ended.state == "succeeded", ended.reason
                seen.append({which for which in ("mine", "theirs") if _started(place, which).exists()})
                for which in ("mine", "theirs"):
                    _started(place, which).unlink(missing_ok=True)
            return {each.name: each.use for each in listed if each.runtime == name}, seen

    uses, (without, of_agent) = asyncio.run(work())
    assert (without, of_agent) == STARTED[name]
    assert uses == {"mine": "yes", "theirs": "yes" if name == "opencode" else "if_trusted"}
