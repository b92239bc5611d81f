"""`reviews`: what waits for a person to review it. Each is decided elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec

from ...activity.model import Review
from ..handler import CabinetHandler
from ..operation import operation

# What the caller must be allowed to read, and to do, for what does not belong to the agents themselves.
RESOURCES = {"directives": ("cabinet-runs", "cabinet-approvals"), "plan": ("cabinet-runs", "cabinet-runs")}


class ReviewList(msgspec.Struct, frozen=True, kw_only=True):
    """What agents propose, then skills, each newest first."""

    items: tuple[Review, ...]


class ReviewsHandler(CabinetHandler):
    """`reviews`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=ReviewList)
    async def get(self) -> None:
        """List what waits for a person: proposed souls and tool servers, proposals for plans, directives of runs that
        have read text from outside, and skills that are not approved.
        """
        found = await self.services.reviews.find(self.principal)
        self.reply(ReviewList(items=tuple([each async for each in self._allowed(found)])))

    async def _allowed(self, reviews: list[Review]) -> AsyncIterator[Review]:
        """Leave out what the caller may not read, and say of the rest whether they may decide."""
        writes = await self.may("write")
        for review in reviews:
            read, decide = RESOURCES.get(review.kind, (None, None))
            if read is not None and not await self.may("read", read):
                continue
            may = writes if decide is None else await self.may("execute", decide)
            yield msgspec.structs.replace(review, may_decide=review.may_decide and may and self.principal.in_browser)
