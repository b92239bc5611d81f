"""`reviews`: proposed souls, skills and proposed tool servers that wait for a person. Each is decided elsewhere."""

from __future__ import annotations

import msgspec

from ...activity.model import Review
from ..handler import CabinetHandler
from ..operation import operation


class ReviewList(msgspec.Struct, frozen=True, kw_only=True):
    """Proposals of agents, then skills, each newest first."""

    items: tuple[Review, ...]


class ReviewsHandler(CabinetHandler):
    """`reviews`"""

    auth_resource = "cabinet-agents"

    @operation("read", gives=ReviewList)
    async def get(self) -> None:
        """List what waits for a person: proposed souls and tool servers, and skills that are not approved."""
        found = await self.services.reviews.find(self.principal)
        may = self.principal.in_browser and await self.may("write")
        items = (msgspec.structs.replace(each, may_decide=each.may_decide and may) for each in found)
        self.reply(ReviewList(items=tuple(items)))
