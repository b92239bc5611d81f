"""Puts right what a server that died left behind: no run stays open, no process stays, nothing queued is lost."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from sqlalchemy import Connection

from ..core.clock import Clock
from ..core.events import EventBus, Scope
from ..schedules.leases import Leases
from ..storage.database import Database
from . import ledger
from .ledger import Unfinished
from .model import Run, RunFinished
from .states import move

log = logging.getLogger(__name__)

REASON = "The server ended while this run was working."
FOREIGN_REASON = "This run came with the folder, from another server. It was not started here."


class Reconciler:
    """This server's lease, and the runs of servers whose lease is dead."""

    def __init__(
        self,
        *,
        leases: Leases,
        database: Database,
        bus: EventBus,
        clock: Clock,
        end_orphans: Callable[[int, str], Awaitable[object]],
    ) -> None:
        self._leases = leases
        self._database = database
        self._bus = bus
        self._clock = clock
        self._end_orphans = end_orphans

    def may_act(self) -> bool:
        return self._leases.may_act()

    async def take_lease(self) -> None:
        await self._database.write(self._leases.take)

    async def release_lease(self) -> None:
        await self._database.write(self._leases.release)

    async def renew(self) -> list[Unfinished]:
        """Renew the lease; returns queued runs of servers that died meanwhile, now this server's."""
        if not await self._database.write(self._leases.renew):
            log.error("Another server took this one for dead. Taking the lease anew.")
            await self.take_lease()
        return await self.put_right()

    async def put_right(self) -> list[Unfinished]:
        """End what dead servers left working; adopt and return what they left queued."""
        abandoned = await self._database.write(self._abandoned)
        for left in abandoned:
            if left.run.state != "queued":
                await self._interrupt(left)
        return [left for left in abandoned if left.run.state == "queued"]

    async def disown(self) -> list[Run]:
        """Before a foreign store is used: end what is open in it. Nothing of it is run, settled, or ended as a process.

        Another server's on the same folder go on, where that server provably works on this machine. Returns what ended.
        """
        ended = await self._database.write(self._disown)
        for run in ended:
            self._bus.publish(RunFinished(run=run), Scope(owner=run.owner, visibility=run.visibility))
        return ended

    def _disown(self, connection: Connection) -> list[Run]:
        proven = self._leases.remove_unproven(connection)
        found = [left for left in ledger.unfinished_runs(connection) if left.holder not in proven]
        now = self._clock.now()
        ended = [move(left.run, "interrupted", now=now, reason=FOREIGN_REASON) for left in found]
        for run in ended:
            ledger.adopt_run(connection, run.id, self._leases.holder)
            ledger.save_run(connection, run, self._leases.holder)
        ledger.settle_all(connection, but_of=proven)
        return ended

    async def unsettled(self) -> list[Run]:
        """Final runs of dead servers for which what follows has not been done."""
        return await self._database.write(
            lambda c: ledger.unsettled_runs(c, self._leases.remove_dead(c) - {self._leases.holder})
        )

    async def others(self) -> set[str]:
        """The servers that live beside this one."""
        return await self._database.write(self._leases.remove_dead) - {self._leases.holder}

    def _abandoned(self, connection: Connection) -> list[Unfinished]:
        living = self._leases.remove_dead(connection)
        found = [left for left in ledger.unfinished_runs(connection) if left.holder not in living]
        for left in found:
            ledger.adopt_run(connection, left.run.id, self._leases.holder)
        return found

    async def _interrupt(self, left: Unfinished) -> None:
        """First the processes, then the record: a crash in between leaves the run to the next start."""
        if left.launcher_pid is not None:
            await self._end_orphans(left.launcher_pid, left.launcher_started or "")
        run = move(left.run, "interrupted", now=self._clock.now(), reason=REASON)  # how long it worked, nobody knows
        await self._database.write(lambda c: ledger.save_run(c, run, self._leases.holder))
        self._bus.publish(RunFinished(run=run), Scope(owner=run.owner, visibility=run.visibility))
