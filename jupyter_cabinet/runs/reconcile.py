"""Puts right what a server that died left behind: no run stays open, no process stays, nothing queued is lost."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection

import msgspec
from sqlalchemy import Connection

from ..core.clock import Clock
from ..core.events import EventBus, Scope
from ..schedules.leases import Leases
from ..storage.database import Database
from . import ledger
from .ledger import Unfinished
from .model import NewRun, Run, RunFinished
from .states import move

log = logging.getLogger(__name__)

REASON = "The server ended while this run was working."
DAMAGED_REASON = "The record of this run is damaged: what it was asked for, or its place in the order. It was ended."
FOREIGN_REASON = "This run came with the folder, from another server. It was not started here."


class Adopted(msgspec.Struct, frozen=True, kw_only=True):
    """A queued run of a server that died, now this server's."""

    run: Run
    new: NewRun


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

    async def renew(self) -> list[Adopted]:
        """Renew the lease; returns queued runs of servers that died meanwhile, now this server's."""
        if not await self._database.write(self._leases.renew):
            log.error("Another server took this one for dead. Taking the lease anew.")
            await self.take_lease()
        return await self.put_right()

    async def put_right(self) -> list[Adopted]:
        """End what dead servers left working, or left damaged; adopt and return what they left queued."""
        adopted = []
        for left in await self._database.write(self._abandoned):
            if left.run.state == "queued" and left.new is not None:
                adopted.append(Adopted(run=left.run, new=left.new))
            else:
                await self._interrupt(left)
        return adopted

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
        found = _left_behind(connection, but_of=proven)
        now = self._clock.now()
        ended = [move(left.run, "interrupted", now=now, reason=FOREIGN_REASON) for left in found]
        for run in ended:
            ledger.adopt_run(connection, run, self._leases.holder)
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
        found = _left_behind(connection, but_of=living)
        for left in found:
            ledger.adopt_run(connection, left.run, self._leases.holder)
        return found

    async def _interrupt(self, left: Unfinished) -> None:
        """First the processes, then the record: a crash in between leaves the run to the next start."""
        await self._end_processes(left)
        reason = DAMAGED_REASON if left.new is None else REASON
        run = move(left.run, "interrupted", now=self._clock.now(), reason=reason)  # how long it worked, nobody knows
        await self._database.write(lambda c: ledger.save_run(c, run, self._leases.holder))
        self._bus.publish(RunFinished(run=run), Scope(owner=run.owner, visibility=run.visibility))

    async def _end_processes(self, left: Unfinished) -> None:
        if left.launcher_pid is None:
            return
        try:
            await self._end_orphans(left.launcher_pid, left.launcher_started or "")
        except Exception:  # one run's must not keep the others, and the server, from going on
            log.exception("What run %s left working could not be ended", left.run.id)


def _left_behind(connection: Connection, *, but_of: Collection[str]) -> list[Unfinished]:
    for run_id in ledger.close_unreadable(connection, but_of=but_of):
        log.warning("The record of run %s cannot be read. It counts as interrupted, and is not shown.", run_id)
    return ledger.unfinished_runs(connection, but_of=but_of)
