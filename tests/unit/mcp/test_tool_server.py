"""The tool server as a CLI meets it: the real program, the real socket, the SDK's own client.

Set JUPYTER_CABINET_TEST_MCP_PYTHON to an interpreter with another version of `mcp`, and it is tried too.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from jupyter_cabinet.agents.prompts.tool_list import TOOLS
from jupyter_cabinet.execution.model import ToolAnswer
from jupyter_cabinet.execution.run_directory import RunDirectory
from jupyter_cabinet.execution.tools import own_tools
from jupyter_cabinet.execution.tools.tool_door import ToolDoor

ROOT = Path(__file__).parents[3]
OTHER = os.environ.get("JUPYTER_CABINET_TEST_MCP_PYTHON")
PYTHONS = ["", *([OTHER] if OTHER else [])]  # "": the one that the server itself uses
SLOW = pytest.mark.slow(reason="the SDK takes a second to be imported in a program of its own")
EACH = pytest.mark.parametrize("python", PYTHONS)
SECONDS = 30


class Run:
    """Stands for a run: keeps what it was asked for."""

    def __init__(self, name: str = "run") -> None:
        self.name = name
        self.door = ToolDoor(self.call)
        self.calls: list[tuple[str, dict[str, object]]] = []

    async def call(self, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        self.calls.append((tool, arguments))
        return ToolAnswer(text=f"{self.name}: {len(self.calls)}", is_error=tool == "agents_list")


@asynccontextmanager
async def tool_server(
    place: Path, run: Run, python: str, groups: tuple[str, ...]
) -> AsyncIterator[tuple[ClientSession, RunDirectory]]:
    directory = await RunDirectory.create(place / "runs")
    await directory.listen(on_tool=run.door.serve)
    command = own_tools.server(directory.path, groups).command
    about = StdioServerParameters(
        command=python or command[0],
        args=list(command[1:]),
        env={"PYTHONPATH": str(ROOT)} if python else {},
        cwd=place,
    )
    try:
        async with stdio_client(about) as (read, write), ClientSession(read, write) as session:
            async with asyncio.timeout(SECONDS):
                await session.initialize()
            yield session, directory
    finally:
        await directory.close()


@asynccontextmanager
async def raw_tool_server(
    place: Path, run: Run, python: str
) -> AsyncIterator[tuple[Callable[..., Awaitable[None]], Callable[[], Awaitable[dict[str, Any]]]]]:
    """A greeted server without the SDK's client, which answers pings by itself: what is said to it, what it says."""
    directory = await RunDirectory.create(place / "runs")
    await directory.listen(on_tool=run.door.serve)
    command = own_tools.server(directory.path, ("memory",)).command
    environment = {**os.environ, **({"PYTHONPATH": str(ROOT)} if python else {})}
    program = await asyncio.create_subprocess_exec(
        python or command[0],
        *command[1:],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=environment,
        cwd=place,
    )
    assert program.stdin is not None and program.stdout is not None
    stdin, stdout = program.stdin, program.stdout

    async def say(**message: Any) -> None:
        stdin.write(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")
        await stdin.drain()

    async def hear() -> dict[str, Any]:
        line = await asyncio.wait_for(stdout.readline(), SECONDS)
        heard: dict[str, Any] = msgspec.json.decode(line)
        return heard

    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    try:
        await say(method="initialize", id=1, params=about)
        await hear()
        await say(method="notifications/initialized")
        yield say, hear
    finally:
        program.kill()
        await program.wait()
        await directory.close()


def said(result: Any) -> tuple[str, bool]:
    plain = result.model_dump(by_alias=True)
    return plain["content"][0]["text"], plain["isError"]


@SLOW
@EACH
async def test_a_cli_sees_the_tools_of_its_groups_and_uses_them(tmp_path: Path, python: str) -> None:
    run = Run()
    async with tool_server(tmp_path, run, python, ("memory", "sessions")) as (session, _):
        assert not run.door.known.is_set()
        listed = (await session.list_tools()).model_dump(by_alias=True)["tools"]
        assert [tool["name"] for tool in listed] == [
            tool.name for tool in TOOLS if tool.group in ("memory", "sessions")
        ]
        await asyncio.wait_for(run.door.known.wait(), SECONDS)
        append = next(tool for tool in listed if tool["name"] == "memory_append")
        assert append["inputSchema"]["required"] == ["kind", "text"]
        assert "next runs" in append["description"]
        arguments = {"kind": "learning", "text": "über 3"}
        assert said(await session.call_tool("memory_append", arguments)) == ("run: 1", False)
        assert run.calls == [("memory_append", arguments)]
        assert said(await session.call_tool("agents_list", {})) == ("run: 2", True)  # the server decides, not we


@SLOW
@EACH
async def test_the_tools_count_as_known_once_the_cli_has_read_the_list(tmp_path: Path, python: str) -> None:
    run = Run()
    known = run.door.known
    async with raw_tool_server(tmp_path, run, python) as (say, hear):
        await say(method="tools/list", id=2)
        listed, ping = await hear(), await hear()
        assert listed["result"]["tools"][0]["name"] == TOOLS[0].name
        assert (ping["method"], known.is_set()) == ("ping", False)
        await say(id=ping["id"], result={})
        await asyncio.wait_for(known.wait(), SECONDS)


@pytest.mark.long(reason="waits for an answer that does not come")
@SLOW
@EACH
async def test_a_cli_that_answers_no_ping_gets_its_tools_too(tmp_path: Path, python: str) -> None:
    run = Run()
    async with raw_tool_server(tmp_path, run, python) as (say, hear):
        await say(method="tools/list", id=2)
        assert (await hear())["result"]["tools"]
        await asyncio.wait_for(run.door.known.wait(), SECONDS)


@SLOW
@EACH
async def test_arguments_of_any_shape_reach_the_server_which_checks_them(tmp_path: Path, python: str) -> None:
    run = Run()
    async with tool_server(tmp_path, run, python, ("memory",)) as (session, _):
        await session.call_tool("memory_append", {"kind": ["nonsense"]})
        text, is_error = said(await session.call_tool("memory_append", {"text": "x" * 2**20}))
    assert run.calls == [("memory_append", {"kind": ["nonsense"]})]
    assert is_error and "larger than 1 MiB" in text


@SLOW
@EACH
async def test_after_the_end_of_the_run_a_tool_says_so(tmp_path: Path, python: str) -> None:
    run = Run()
    async with tool_server(tmp_path, run, python, ("memory",)) as (session, directory):
        await directory.close()
        assert (await session.list_tools()).tools
        text, is_error = said(await session.call_tool("memory_read", {"file": "context"}))
    assert is_error and "this run has ended" in text
    assert run.calls == []


@pytest.mark.long(reason="starts two tool servers")
@SLOW
async def test_two_runs_at_once_have_a_server_each(tmp_path: Path) -> None:
    one, two = Run("one"), Run("two")
    async with (
        tool_server(tmp_path, one, "", ("memory",)) as (first, _),
        tool_server(tmp_path, two, "", ("memory",)) as (second, _),
    ):
        answers = await asyncio.gather(
            *(session.call_tool("memory_read", {"file": "context"}) for session in (first, second) for _ in range(5))
        )
    assert [said(answer)[0].partition(":")[0] for answer in answers] == ["one"] * 5 + ["two"] * 5
    assert len(one.calls) == len(two.calls) == 5


@SLOW
async def test_nothing_in_the_folder_that_the_agent_works_in_is_imported(tmp_path: Path) -> None:
    for name in ("mcp", "jupyter_cabinet", "msgspec"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('planted')")
    async with tool_server(tmp_path, Run(), "", ("memory",)) as (session, _):
        assert said(await session.call_tool("memory_read", {"file": "context"})) == ("run: 1", False)


async def test_the_command_has_no_secret_and_names_the_run_directory(tmp_path: Path) -> None:
    directory = await RunDirectory.create(tmp_path)
    server = own_tools.server(directory.path, ("memory", "messaging"))
    ticket = (directory.path / "ticket").read_text()
    assert ticket not in msgspec.json.encode(server).decode()
    assert server.command[-2:] == (str(directory.path), "memory,messaging") and server.environment == {}
    await directory.close()
