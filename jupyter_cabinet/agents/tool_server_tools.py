"""The tools with which an agent lists tool servers and proposes others. `tool_servers/` keeps the proposals.

A proposal does nothing: only a person starts it and approves its tools. Called by `agent_tools.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from ..core.errors import CabinetError, NotAllowed, Refused
from ..core.plain_text import one_line
from ..runs.model import Run
from .prompts import tool_list
from .roster.roster import Roster
from .run_quota import RunQuota

CLOSED = "This server keeps no tool servers."
MOST_OF_A_RUN = 2
MOST_TRIES = 10  # of a run, with those that are refused
TOO_MANY = f"A run can propose {MOST_OF_A_RUN} tool servers."
FROM_OUTSIDE = "This run has read text from outside, so it cannot propose a tool server."


class ProposedToolServer(msgspec.Struct, frozen=True, kw_only=True):
    """A tool server that an agent proposes. `owner`: the person for whom its run works."""

    agent: str
    owner: str
    name: str
    program: str
    arguments: tuple[str, ...]
    reason: str


class KnownToolServer(NamedTuple):
    """A tool server that a person has. `state`: a sentence."""

    name: str
    state: str


Propose = Callable[[ProposedToolServer], Awaitable[str]]
Known = Callable[[str], Awaitable[Sequence[KnownToolServer]]]


class ToolServerTools:
    """Takes proposals. Until it is opened, it refuses them."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._propose: Propose | None = None
        self._known: Known | None = None
        self._quota = RunQuota(MOST_OF_A_RUN, TOO_MANY)
        self._tries = RunQuota(MOST_TRIES, TOO_MANY)  # a refusal tells what there is on this machine

    def open(self, propose: Propose, known: Known) -> None:
        """Keep proposals from now on. `propose` returns a sentence for the agent; `known` the servers of a person."""
        self._propose, self._known = propose, known

    def by_name(self) -> dict[str, Callable[[Run, str, Any], Awaitable[str]]]:
        """Return the tools by their names. Each takes the run, the agent's slug and the arguments, and returns a text.

        Both raise `NotAllowed` or `OutOfService` if the agent may not propose tool servers now, and `Refused` before
        `open`. `mcp_create` also raises `NotAllowed` if the run has read text from outside, `Refused` for too many
        proposals of a run, and what `propose` raises.
        """
        return {"mcp_list": self._list, "mcp_create": self._create}

    async def _list(self, run: Run, agent: str, asked: tool_list.McpList) -> str:
        await self._must_be_allowed(agent)
        if self._known is None:
            raise Refused(CLOSED)
        lines = [f"{each.name}: {each.state}" for each in await self._known(run.owner)]
        return "\n".join(lines) or "There are no tool servers."

    async def _create(self, run: Run, agent: str, asked: tool_list.McpCreate) -> str:
        await self._must_be_allowed(agent)
        if run.tainted:
            raise NotAllowed(FROM_OUTSIDE)
        if self._propose is None:
            raise Refused(CLOSED)
        self._tries.take(run.id)
        self._quota.take(run.id)
        proposed = ProposedToolServer(
            agent=agent,
            owner=run.owner,
            name=asked.name,
            program=asked.program,
            arguments=tuple(asked.arguments),
            reason=one_line(asked.reason),
        )
        try:
            return await self._propose(proposed)
        except CabinetError:
            self._quota.give_back(run.id)
            raise

    async def _must_be_allowed(self, agent: str) -> None:
        """Raise `NotAllowed` or `OutOfService` unless the agent may do this as it is now."""
        if not (await self._roster.get(agent)).require().proposes_tool_servers:
            raise NotAllowed("This agent may not propose tool servers.")
