"""Reflections of an agent, and the soul that one has proposed."""

from __future__ import annotations

from typing import Literal

import msgspec

from ....agents.model import SoulProposal
from ....runs.model import Run
from ...handler import CabinetHandler
from ...operation import operation


class WaitingSoul(msgspec.Struct, frozen=True, kw_only=True):
    """`proposal`: null if none waits."""

    proposal: SoulProposal | None = None


class DecideSoul(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST agents/{slug}/proposal`. `hash`, `etag`: of the proposal and the soul as the caller has seen them.

    `compare`: bind the proposal to the soul as it is now. `text`: what to save instead of the proposal.
    """

    decision: Literal["accept", "refuse", "compare"]
    hash: str
    etag: str | None = None
    text: str | None = None


class AgentReflectionsHandler(CabinetHandler):
    """`agents/{name}/reflections`"""

    auth_resource = "cabinet-agents"

    @operation("execute", gives=Run, status=201)
    async def post(self, slug: str) -> None:
        """Start a reflection: without tools, it reads its soul and its memory, and may propose another soul."""
        self.reply(await self.services.reflections.start(slug, self.principal), 201)


class AgentProposalHandler(CabinetHandler):
    """`agents/{name}/proposal`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=WaitingSoul)
    async def get(self, slug: str) -> None:
        """Return the soul that it proposes, beside its present one."""
        self.reply(WaitingSoul(proposal=await self.services.reflections.get(slug, self.principal)))

    @operation("write", body=DecideSoul, gives=WaitingSoul)
    async def post(self, slug: str) -> None:
        """Accept or refuse the soul that it proposes, or compare it again. For its owner, in the browser."""
        body, reflections = self.body(DecideSoul), self.services.reflections
        proposal = None
        if body.decision == "compare":
            proposal = await reflections.compare_again(slug, body.hash, self.principal)
        elif body.decision == "refuse":
            await reflections.refuse(slug, body.hash, self.principal)
        else:
            await reflections.accept(slug, body.hash, body.etag, self.principal, text=body.text)
        self.reply(WaitingSoul(proposal=proposal))
