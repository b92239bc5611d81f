"""`trust`: whether agents may run below the root directory."""

from __future__ import annotations

from ....trust.model import Confirmation, TrustState
from ...handler import CabinetHandler
from ...operation import operation


class TrustHandler(CabinetHandler):
    """`trust`"""

    auth_resource = "cabinet-admin"

    @operation("read", gives=TrustState)
    async def get(self) -> None:
        """Return what is confirmed, and the hash that confirms it."""
        self.reply(await self.services.trust.state())

    @operation("write", body=Confirmation, gives=TrustState)
    async def post(self) -> None:
        """Confirm the root folder. Only a person in the browser may do this."""
        self.reply(await self.services.trust.confirm(self.body(Confirmation).hash, self.principal))
