"""What waits for a person to review it: souls and tool servers that agents propose, and skills that are not approved.

It stores nothing and decides nothing: `agents/reflection/`, `skills/` and `tool_servers/` do. Called by
`web/handlers/reviews.py`.
"""

from __future__ import annotations

from ..agents.reflection.service import Reflections
from ..core.people import Principal, owns
from ..skills.service import Skills
from ..tool_servers.service import ToolServers
from .model import Review


class Reviews:
    """Joins what the services know. A list reads the proposals and the outlines of all skills."""

    def __init__(self, *, reflections: Reflections, skills: Skills, tool_servers: ToolServers) -> None:
        self._reflections = reflections
        self._skills = skills
        self._tool_servers = tool_servers

    async def find(self, principal: Principal) -> list[Review]:
        """Return what waits, of what the caller may see: proposals of agents, then skills, each newest first.

        `may_decide` only considers whose it is.
        """
        souls = [
            Review(
                kind="soul",
                name=entry.slug,
                title=entry.files.name,
                since=proposal.at,
                may_decide=owns(principal, entry.record.owner),
            )
            for entry, proposal in await self._reflections.waiting(principal)
        ]
        skills = [
            Review(
                kind="skill",
                name=each.name,
                title=each.name,
                source=each.source,
                changed=each.changed,
                since=each.since,
                may_decide=True,
            )
            for each in await self._skills.waiting()
        ]
        servers = [
            Review(
                kind="tool_server",
                name=each.name,
                title=each.name,
                source=f"proposed by the agent {each.proposal.agent}",
                since=each.proposal.at,
                may_decide=True,
            )
            for each in (await self._tool_servers.find(principal))[0]
            if each.proposal is not None
        ]
        proposals = sorted([*souls, *servers], key=lambda each: each.since, reverse=True)
        return [*proposals, *sorted(skills, key=lambda each: each.since, reverse=True)]
