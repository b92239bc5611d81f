"""What waits for a person to review it: what agents propose, held directives, and skills that are not approved.

It stores nothing and decides nothing: the services that it asks do. Called by `web/handlers/reviews.py`.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from ..agents.reflection.service import Reflections
from ..agents.roster.roster import Roster
from ..agents.run_kinds.run_completion import Aftermath
from ..core.errors import NotFound
from ..core.people import Principal, owns
from ..plans.service import Plans
from ..runs.service import Runs
from ..skills.service import Skills
from ..tool_servers.service import ToolServers
from .model import Review


class ReviewedServices(NamedTuple):
    """The services that know what waits."""

    reflections: Reflections
    skills: Skills
    tool_servers: ToolServers
    plans: Plans
    aftermath: Aftermath
    runs: Runs
    roster: Roster


class Reviews:
    """Joins what the services know. A list reads the proposals and the outlines of all skills."""

    def __init__(self, services: ReviewedServices) -> None:
        self._services = services

    async def find(self, principal: Principal) -> list[Review]:
        """Return what waits, of what the caller may see: what agents propose, then skills, each newest first.

        `may_decide` only considers whose it is: it is true for all skills, and for what the caller owns. Nothing is
        raised for an agent or a run that no longer exists; it is left out.
        """
        proposals = [
            *await self._souls(principal),
            *await self._held_directives(principal),
            *await self._plans(principal),
            *await self._proposed_servers(principal),
        ]
        return [*_newest_first(proposals), *_newest_first(await self._waiting_skills())]

    async def _souls(self, principal: Principal) -> list[Review]:
        return [
            Review(
                kind="soul",
                name=entry.slug,
                title=entry.files.name,
                since=proposal.at,
                may_decide=owns(principal, entry.record.owner),
            )
            for entry, proposal in await self._services.reflections.waiting(principal)
        ]

    async def _held_directives(self, principal: Principal) -> list[Review]:
        """Those of an agent that no longer exists are left out, because nothing shows them."""
        found = []
        for held in await self._services.aftermath.held():
            with contextlib.suppress(NotFound):
                run = await self._services.runs.get(held.run_id, principal)
                entry = await self._services.roster.get(held.agent, principal)
                review = Review(
                    kind="directives",
                    name=held.run_id,
                    title=entry.files.name,
                    agent=held.agent,
                    count=held.number,
                    since=held.since,
                    may_decide=owns(principal, run.owner),
                )
                found.append(review)
        return found

    async def _plans(self, principal: Principal) -> list[Review]:
        return [
            Review(
                kind="plan",
                name=plan.id,
                title=plan.title,
                count=len(proposals),
                since=max(each.at for each in proposals),
                may_decide=owns(principal, plan.owner),
            )
            for plan, proposals in await self._services.plans.with_open_proposals(principal)
        ]

    async def _proposed_servers(self, principal: Principal) -> list[Review]:
        return [
            Review(
                kind="tool_server",
                name=each.name,
                title=each.name,
                source=f"proposed by the agent {each.proposal.agent}",
                since=each.proposal.at,
                may_decide=True,
            )
            for each in (await self._services.tool_servers.find(principal))[0]
            if each.proposal is not None
        ]

    async def _waiting_skills(self) -> list[Review]:
        return [
            Review(
                kind="skill",
                name=each.name,
                title=each.name,
                source=each.source,
                changed=each.changed,
                since=each.since,
                may_decide=True,
            )
            for each in await self._services.skills.waiting()
        ]


def _newest_first(reviews: list[Review]) -> list[Review]:
    return sorted(reviews, key=lambda each: each.since, reverse=True)
