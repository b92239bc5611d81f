"""`switch`: whether new work may start in this root directory."""

from __future__ import annotations

from ....runs.switch_model import Switch, TurnSwitch
from ...handler import CabinetHandler
from ...operation import operation


class SwitchHandler(CabinetHandler):
    """`switch`"""

    auth_resource = "cabinet-admin"

    @operation("read", gives=Switch)
    async def get(self) -> None:
        """Return whether work is paused, by whom and since when."""
        self.reply(await self.services.runs.switch.read())

    @operation("write", body=TurnSwitch, gives=Switch)
    async def post(self) -> None:
        """Pause or resume everything. `now` also ends current runs. Answers when that is confirmed."""
        wanted = self.body(TurnSwitch)
        runs = self.services.runs
        self.reply(await runs.turn_switch(paused=wanted.paused, now=wanted.now, principal=self.principal))
