"""Recovery after a server that died: ends its working runs and their processes, and adopts its queue and outbox."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection

import msgspec
from sqlalchemy import Connection

from ..core.clock import Clock
from ..runtimes.model import Outcome
from ..schedules.leases import Leases
from ..storage.commits import Commits, ScopedEvent
from ..storage.database import Database
from ..storage.outbox import Outbox
from . import store
from .kinds import RunKinds
from .model import NewRun, Run, RunFinished, revised
from .records import told
from .rules import lifecycle
from .store import Unfinished

log = logging.getLogger(__name__)

DAMAGED_REASON = "The record of this run is damaged: what it was asked for, or its place in the order. It was ended."
FOREIGN_REASON = "This run came with the folder, from another server. It was not started here."


class Adopted(msgspec.Struct, frozen=True, kw_only=True):
    """A queued run that this server has taken over from one that died."""

    run: Run
    new: NewRun


class Reconciler:
    """Manages this server's lease, and takes over runs of servers whose lease has expired.

    Its methods raise what the database raises: `Unavailable` if it does not answer, `NoRoom` when the disk is full.
    """

    def __init__(
        self,
        *,
        leases: Leases,
        database: Database,
        commits: Commits,
        outbox: Outbox,
        kinds: RunKinds,
        clock: Clock,
        end_orphans: Callable[[int, str], Awaitable[object]],
    ) -> None:
        self._leases = leases
        self._database = database
        self._commits = commits
        self._outbox = outbox
        self._kinds = kinds
        self._clock = clock
        self._end_orphans = end_orphans

    def may_act(self) -> bool:
        """Return whether this server's lease is certainly still valid. Without it, no run may be started."""
        return self._leases.may_act()

    async def take_lease(self) -> None:
        """Store this server's lease. Needed before any run is stored."""
        await self._database.write(self._leases.take)

    async def release_lease(self) -> None:
        """Remove this server's lease, so that other servers need not wait until it expires. The queue stays stored."""
        await self._database.write(self._leases.release)

    async def renew(self) -> list[Adopted]:
        """Renew the lease, and return the queued runs taken over from servers that have died since the last call.

        If another server has removed the lease, it is taken again.
        """
        if not await self._database.write(self._leases.renew):
            log.error("Another server considered this one dead. Taking the lease again.")
            await self.take_lease()
        return await self.take_over()

    def lost_sight(self) -> None:
        """Note that the database could not be read: nobody could see whether other servers live. Stores nothing.

        The leases of other servers are watched from now on, as if they were new.
        """
        self._leases.lost_sight()

    async def take_over(self) -> list[Adopted]:
        """End the working and damaged runs of dead servers, and adopt their queue and outbox.

        Return the queued runs, oldest first. The ended runs become `interrupted`, with their event and effects; their
        processes on this machine are ended first. The caller keeps the returned runs in memory.
        """
        adopted = []
        abandoned = await self._database.write(self._abandoned)
        self._outbox.wake()
        for left in abandoned:
            if left.run.state == "queued" and left.new is not None:
                adopted.append(Adopted(run=left.run, new=left.new))
            else:
                await self._interrupt(left)
        return adopted

    async def disown(self) -> list[Run]:
        """End all unfinished runs in a store that came from another server, before it is used.

        Return the runs that were ended. They become `interrupted`. None of them is started, no pending effect is
        executed, and no process is ended. Runs of another server on the same folder continue if that server works on
        this machine.
        """
        return await self._commits.commit(self._disown, lambda ended: [told(RunFinished(run=run)) for run in ended])

    def _disown(self, connection: Connection) -> list[Run]:
        proven = self._leases.remove_unproven(connection)
        ended = [self._died(left.run, FOREIGN_REASON) for left in self._left_behind(connection, but_of=proven)]
        for run in ended:
            store.adopt_run(connection, run, self._leases.holder)
            store.save_run(connection, run, self._leases.holder)
        self._outbox.drop(connection, but_of=proven)
        return ended

    def _died(self, run: Run, reason: str) -> Run:
        """Return the run as interrupted. Its duration stays unknown."""
        step = lifecycle.died(lifecycle.of_record(run), reason)
        return revised(run, lifecycle.on_record(run, step.life, now=self._clock.now()))

    async def others(self) -> set[str]:
        """Remove the leases of dead servers, and return the lease holders of the other servers that are alive."""
        return await self._database.write(self._leases.remove_dead) - {self._leases.holder}

    def _abandoned(self, connection: Connection) -> list[Unfinished]:
        living = self._leases.remove_dead(connection)
        found = self._left_behind(connection, but_of=living)
        for left in found:
            store.adopt_run(connection, left.run, self._leases.holder)
        self._outbox.adopt(connection, but_of=living)
        return found

    async def _interrupt(self, left: Unfinished) -> None:
        """End the processes of a run, then store that it was interrupted.

        In this order, because after a crash in between, the next start of a server finds the run and repeats both.
        """
        await self._end_processes(left)
        run = self._died(left.run, DAMAGED_REASON if left.new is None else lifecycle.SERVER_DIED)
        kind = self._kinds.of(run.kind) if run.kind in self._kinds else None

        def change(connection: Connection) -> bool:
            saved = store.save_run(connection, run, self._leases.holder)
            if saved and kind is not None:
                kind.put_end(connection, run, Outcome())
            return saved

        def events(saved: bool) -> list[ScopedEvent]:
            return [told(RunFinished(run=run))] if saved else []

        await self._commits.commit(
            change, events, lambda saved: kind.effects(run, Outcome()) if saved and kind is not None else ()
        )

    async def _end_processes(self, left: Unfinished) -> None:
        if left.launcher_pid is None:
            return
        try:
            await self._end_orphans(left.launcher_pid, left.launcher_started or "")
        except Exception:  # a failure for one run must not affect the others, or the server
            log.exception("Could not end the processes of run %s", left.run.id)

    def _left_behind(self, connection: Connection, *, but_of: Collection[str]) -> list[Unfinished]:
        for run_id in store.close_unreadable(connection, but_of=but_of):
            log.warning("The record of run %s cannot be read. It counts as interrupted, and is not shown.", run_id)
        return store.unfinished_runs(connection, but_of=but_of, read_request=self._kinds.read)
