"""`runs/{id}/output`: what one run says, as it says it."""

from __future__ import annotations

from ..core.people import may_see
from ..execution.output import OutputEnd
from .operation import Query, operation
from .sockets import CabinetSocket


class RunOutputHandler(CabinetSocket):
    """`runs/{id}/output`"""

    @operation(
        "read",
        socket=True,
        query=(Query(name="since", kind="integer", about="index of the first event wanted"),),
    )
    async def get(self, run_id: str) -> None:
        """The events of one run from index `since` on, then `end`."""
        self.run = await self.services.runs.get(run_id, self.principal)
        self.since = self.integer_argument("since", 0)
        await self.upgrade()

    def open(self, *arguments: str) -> None:
        super().open(*arguments)
        self.spawn(self._send_all(arguments[0]))

    def on_message(self, message: str | bytes) -> None:
        """A reader has nothing to say."""

    async def is_welcome(self) -> bool:
        """Who was an administrator may have seen a run that is private to another."""
        return await super().is_welcome() and may_see(self.principal, self.run.owner, self.run.visibility)

    async def _send_all(self, run_id: str) -> None:
        async for record in self.services.runs.follow(run_id, self.since, self.principal):
            if not await self.send(record):
                return
        await self.send(OutputEnd())
        self.close()
