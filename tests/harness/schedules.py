"""Schedulers on a real database under a clock that a test moves on, and a clock on the wall that can be set."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path

from jupyter_cabinet.core.events import Event, EventBus
from jupyter_cabinet.core.ids import new_id
from jupyter_cabinet.core.redaction import Redactor
from jupyter_cabinet.schedules.due import Due
from jupyter_cabinet.schedules.leases import Leases
from jupyter_cabinet.schedules.scheduler import Scheduler
from jupyter_cabinet.storage.commits import Commits
from jupyter_cabinet.storage.database import Database
from jupyter_cabinet.storage.event_log import EventLog
from jupyter_cabinet.storage.outbox import Outbox
from jupyter_cabinet.testing.manual_clock import ManualClock


class SetClock(ManualClock):
    """Its wall clock can be set, as people and time servers do."""

    ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


class Server:
    """What one server needs for its schedules. `fired`: what its port was called with and has claimed."""

    def __init__(self, folder: Path, clock: SetClock, name: str = "one") -> None:
        self.clock = clock
        self.acting = True
        self.fired: list[tuple[str, datetime, int]] = []
        self.failing: Callable[[Due], Exception | None] = lambda due: None
        self.told: list[Event] = []
        self.database = Database(f"sqlite:///{folder / 'cabinet.db'}")
        bus = EventBus()
        bus.subscribe(lambda event, scope: self.told.append(event))
        log = EventLog(database=self.database, bus=bus, clock=clock, redactor=Redactor(()))
        outbox = Outbox(database=self.database, clock=clock, holder=name, may_act=lambda: self.acting)
        self.lease = Leases(name, clock)
        self.commits = Commits(database=self.database, log=log, outbox=outbox, bus=bus, fence=self.lease.require)
        self.scheduler = Scheduler(
            database=self.database, commits=self.commits, clock=clock, may_act=lambda: self.acting
        )
        self.scheduler.register("", self.fire)

    async def open(self) -> Server:
        await self.database.open()
        await self.database.write(self.lease.take)
        await self.scheduler.start()
        return self

    async def fire(self, due: Due) -> None:
        trouble = self.failing(due)
        if trouble is not None:
            raise trouble
        await self.commit(due)

    async def commit(self, due: Due) -> None:
        await self.commits.commit(lambda c: due.claim(c, new_id()))
        self.fired.append((due.key, due.at, due.missed))

    async def close(self) -> None:
        await self.scheduler.stop()
        await self.database.close()


async def pass_time(clock: ManualClock, seconds: float, servers: Iterable[Server]) -> None:
    """Move on; time stands still while a database works."""
    here = list(servers)
    await clock.advance(seconds, busy=lambda: any(server.database.busy > 0 for server in here))
