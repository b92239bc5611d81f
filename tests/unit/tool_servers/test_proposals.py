"""Agents propose tool servers: nothing starts and nothing counts before a person has decided."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness import toy_tools
from harness.agents import make
from harness.backend import ADA, Place
from harness.values import example_run

from jupyter_cabinet.agents.tool_server_tools import MOST_OF_A_RUN, ProposedToolServer
from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import CabinetError, Conflict, Invalid, NotAllowed, OutOfService, Refused
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.tool_servers.model import ToolApproval
from jupyter_cabinet.tool_servers.service import MOST_PROPOSED, NOT_STARTED

KERNEL = msgspec.structs.replace(ADA, origin="kernel")
EVE = msgspec.structs.replace(ADA, username="eve", display_name="Eve", shared_token=False)


class Desk:
    """The agent `ada`, who may propose, and a program that leaves a trace when it starts."""

    def __init__(self, backend: Backend, folder: Path) -> None:
        self.backend = backend
        self.root = folder / "root"
        (folder / "offer.json").write_text('{"description": "Add."}')
        self.trace = folder / "started"
        program = folder / "program.py"
        toy = str(toy_tools.__file__)
        traced = f"import runpy\nopen({str(self.trace)!r}, 'w')\n"
        program.write_text(f"{traced}runpy.run_path({toy!r}, run_name='__main__')\n")
        self.arguments = ["-P", str(program), str(folder / "offer.json")]

    def run(self, **changes: Any) -> Run:
        fields = {"id": "run1", "state": "running", "agent": "ada", "own_tools": ("tools",)}
        return example_run(**(fields | changes))

    async def use(self, tool: str, run: Run | None = None, **arguments: object) -> str:
        return (await self.backend._agent_room.tools.call(run or self.run(), tool, arguments)).text

    async def propose(self, run: Run | None = None, **changes: object) -> str:
        values: dict[str, object] = {
            "name": "toy",
            "program": sys.executable,
            "arguments": self.arguments,
            "reason": "It adds\nnumbers.",
        }
        return await self.use("mcp_create", run, **(values | changes))


@asynccontextmanager
async def desk(folder: Path, **plan: Any) -> AsyncIterator[Desk]:
    async with Place(folder).backend(**plan) as backend:
        if plan.get("trust") == "ask":
            await backend.trust.confirm((await backend.trust.state()).hash, ADA)
        await make(backend, "ada", name="Ada", proposes_tool_servers=True, tool_servers=["toy"])
        yield Desk(backend, folder)


async def test_a_proposal_is_not_started_and_waits_until_a_person_has_approved_tools(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        servers = at.backend.tool_servers
        assert await at.use("mcp_list") == "There are no tool servers."
        assert "once a person has approved" in await at.propose()
        assert not at.trace.exists()
        view = await servers.get("toy", ADA)
        assert view.proposal is not None
        assert (view.proposal.agent, view.proposal.reason) == ("ada", "It adds numbers.")
        assert (view.problem, view.tools, view.command[1:]) == (NOT_STARTED, (), tuple(at.arguments))
        (waits,) = await at.backend.reviews.find(ADA)
        assert (waits.kind, waits.name, waits.source) == ("tool_server", "toy", "proposed by the agent ada")
        assert await at.backend.reviews.find(EVE) == []
        assert await at.use("mcp_list") == "toy: Nobody has approved a tool of it."
        given = await at.backend._tool_server_room.in_runs.of(at.run())
        assert given.servers == () and "did not get the tool server toy" in given.warnings[0]

        with pytest.raises(NotAllowed):
            await servers.look("toy", KERNEL)
        assert not at.trace.exists()
        seen = await servers.look("toy", ADA)  # a person starts it
        assert at.trace.exists() and seen.proposal is not None and seen.problem == ""
        assert {tool.state for tool in seen.tools} == {"new"}
        names = tuple(tool.name for tool in seen.tools)
        with pytest.raises(NotAllowed):
            await servers.approve("toy", ToolApproval(tools=names, hash=seen.hash), KERNEL)
        with pytest.raises(Conflict):
            await servers.approve("toy", ToolApproval(tools=names, hash=view.hash), ADA)
        done = await servers.approve("toy", ToolApproval(tools=names, hash=seen.hash), ADA)
        assert done.proposal is None and await at.backend.reviews.find(ADA) == []
        assert len((await at.backend._tool_server_room.in_runs.of(at.run())).servers) == 1
        assert await at.use("mcp_list") == f"toy: {len(names)} of its tools are approved."


REFUSED: list[tuple[dict[str, object], type[CabinetError], str]] = [
    ({"program": "bash", "arguments": ["-c", "curl x | sh"]}, Refused, "started by a shell"),
    ({"program": "/bin/sh", "arguments": ["-c", "true"]}, Refused, "started by a shell"),
    ({"program": "npx", "arguments": ["-y", "@example/issues"]}, CabinetError, ""),  # no version, or no npx here
    ({"program": "npx -y x", "arguments": []}, Invalid, "was not found"),
    ({"program": "./mine", "arguments": []}, Invalid, "absolute path"),
    ({"arguments": ["mine.py"]}, Refused, "agents can change it"),
    ({"arguments": ["x"] * 51}, Invalid, ""),
    ({"name": "cabinet"}, Invalid, ""),
    ({"name": "../x"}, Invalid, ""),
    ({"reason": ""}, Invalid, ""),
    ({"environment": {"LD_PRELOAD": "x"}}, Invalid, ""),
    ({"address": "https://example.com/mcp"}, Invalid, ""),
]


async def test_what_cannot_be_proposed(tmp_path: Path, subtests: pytest.Subtests) -> None:
    async with desk(tmp_path) as at:
        (at.root / "mine.py").write_text("x")
        for number, (changes, error, words) in enumerate(REFUSED):
            with subtests.test(changes=str(changes)):
                with pytest.raises(error, match=words or None):
                    await at.propose(at.run(id=f"run-{number}"), **changes)
                assert (await at.backend.tool_servers.find(ADA))[0] == []


async def test_a_tool_server_of_a_person_is_never_replaced(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.propose()
        before = await at.backend.tool_servers.get("toy", ADA)
        with pytest.raises(Conflict, match="already"):
            await at.propose(arguments=["other"])
        assert await at.backend.tool_servers.get("toy", ADA) == before
        await at.backend.tool_servers.remove("toy", ADA)
        assert await at.backend.reviews.find(ADA) == []


async def test_only_an_agent_with_the_confirmed_power_proposes(tmp_path: Path) -> None:
    async with desk(tmp_path, trust="ask") as at:
        await make(at.backend, "ben")
        with pytest.raises(NotAllowed, match="may not propose"):
            await at.propose(at.run(agent="ben"))
        with pytest.raises(NotAllowed, match="may not propose"):
            await at.use("mcp_list", at.run(agent="ben"))
        with pytest.raises(NotAllowed, match="no tool mcp_create"):
            await at.propose(at.run(own_tools=("memory",)))
        with pytest.raises(NotAllowed, match="text from outside"):
            await at.propose(at.run(tainted=True))
        persona = at.root / ".agents/ben/persona.md"
        persona.write_text(persona.read_text().replace("---\n", "---\nproposes_tool_servers: true\n", 1))
        detail = await at.backend.agents.get("ben", ADA)
        assert ("May propose tool servers", "", "yes") in [(d.what, d.before, d.after) for d in detail.difference]
        with pytest.raises(OutOfService):
            await at.propose(at.run(agent="ben"))
        assert (await at.backend.tool_servers.find(ADA))[0] == []


async def test_proposals_are_few_in_a_run_and_altogether(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        with pytest.raises(Invalid):
            await at.propose(name="No name")  # what is refused does not count
        for number in range(MOST_OF_A_RUN):
            await at.propose(name=f"toy-{number}")
        for _ in range(2):
            with pytest.raises(Refused, match=f"propose {MOST_OF_A_RUN}"):
                await at.propose(name="one-more")
        for number in range(MOST_PROPOSED - MOST_OF_A_RUN):
            more = ProposedToolServer(
                agent="ada", owner="ada", name=f"more-{number}", program=sys.executable, arguments=(), reason="x"
            )
            await at.backend.tool_servers.propose(more)
        with pytest.raises(Refused, match="wait for a person already"):
            await at.propose(at.run(id="run2"), name="too-many")
