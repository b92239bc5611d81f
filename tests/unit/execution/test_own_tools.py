"""An order with tools of ours: who gets the server, what is said if there is none, and what is left behind."""

from __future__ import annotations

import importlib.util
import stat
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.backend import ADA, Place

from jupyter_cabinet.core.people import Person, Principal
from jupyter_cabinet.execution.model import Order
from jupyter_cabinet.execution.tools import own_tools
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runtimes.claude.runtime import Claude
from jupyter_cabinet.runtimes.demo.runtime import Demo
from jupyter_cabinet.runtimes.port import Located

HERE = Located(path="/bin/x", version="2.1.329")
ORDER = Order(
    run_id="r1",
    session_id="s1",
    prompt="Hi.",
    label="Hi.",
    runtime="claude",
    runtime_title="Claude Code",
    mode="headless",
    permission_mode="ask",
    own_tools=("memory", "sessions"),
    by=Person(username="ada", display_name="Ada"),
    owner=Principal(username="ada", display_name="Ada"),
    visibility="server",
)
# Stands for Claude Code: reads which tool server it is given, uses a tool as that server would, and ends as `END` says.
CLI = """#!{python}
import json, os, socket, subprocess, sys
if "--version" in sys.argv:
    sys.exit(print("2.1.329 (Claude Code)"))
config = next(a.partition("=")[2] for a in sys.argv if a.startswith("--mcp-config="))
server = json.load(open(config))["mcpServers"]["cabinet"]
directory = server["args"][-2]
if os.fork() == 0:  # as a child, which is below the launcher too
    payload = json.dumps({{"tool": "memory_append", "arguments": {{"kind": "learning", "text": directory}}}}).encode()
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(directory + "/socket")
        door.sendall(b"tool %b %d\\n" % (open(directory + "/ticket", "rb").read(), len(payload)) + payload)
        assert b"It is in your memory." in door.recv(65536)
    os._exit(0)
assert os.wait()[1] == 0
{end}
"""
CRASH = "os.kill(os.getpid(), 9)"
RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "session_id": "s"}
ANSWER = f"print(json.dumps({RESULT}))"


def test_who_has_none_misses_none() -> None:
    assert own_tools.missing(msgspec.structs.replace(ORDER, own_tools=()), Demo(), HERE) == ""
    assert own_tools.missing(ORDER, Claude(), HERE) == ""


def test_a_cli_that_takes_no_tool_servers_is_named() -> None:
    said = own_tools.missing(ORDER, Demo(), HERE)
    assert said.startswith("This run has none of Cabinet's own tools (memory, sessions): ")
    assert said.endswith("does not support tool servers.")


def test_without_the_sdk_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "mcp" else found(name))
    assert 'install "jupyter-cabinet[mcp]"' in own_tools.missing(ORDER, Claude(), HERE)


async def work(place: Place, runtime: str, **environment: str) -> Run:
    persona = place.root / ".agents" / "ada" / "persona.md"
    persona.parent.mkdir(parents=True)
    fields = f"name: Ada\nruntime: {runtime}\ntool_preset: messaging\nheartbeat_enabled: false\n"
    persona.write_text(f"---\n{fields}---\n\nHi.\n")
    async with place.backend(environment=environment) as backend:
        body: dict[str, Any] = {"kind": "message", "agent": "ada", "instruction": "Remember.", "mode": "headless"}
        run = await backend.runs.submit(backend.runs.kinds.convert(body), ADA)
        await backend.runs.wait(run.id, 30)
        return await backend.runs.get(run.id, ADA)


@pytest.mark.parametrize(("end", "state"), [(ANSWER, "succeeded"), (CRASH, "failed")])
async def test_nothing_is_left_of_the_run_directory_however_the_cli_ends(tmp_path: Path, end: str, state: str) -> None:
    place, cli = Place(tmp_path), tmp_path / "claude"
    cli.write_text(CLI.format(python=sys.executable, end=end))
    cli.chmod(cli.stat().st_mode | stat.S_IXUSR)
    run = await work(place, "claude", JUPYTER_CABINET_CLAUDE_PATH=str(cli))
    assert run.state == state, (run.reason, run)
    learnings = (place.root / ".agents" / "ada" / "memory" / "learnings.md").read_text()
    heading, _, directory = learnings.strip().partition("\n")
    assert heading.endswith(f"<!-- {run.id}/tool-1 -->")
    assert Path(directory).is_absolute() and not Path(directory).exists()
    assert not any("own tools" in warning for warning in run.warnings)


async def test_an_agent_on_a_cli_without_tool_servers_works_without_our_tools_and_says_so(tmp_path: Path) -> None:
    run = await work(Place(tmp_path), "demo")
    assert run.state == "succeeded", run
    assert [warning for warning in run.warnings if "own tools (memory, messaging, sessions)" in warning]
