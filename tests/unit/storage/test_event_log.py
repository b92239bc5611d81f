"""The log of events loses none of what the bus carries, whatever happens to the database."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from sqlalchemy import Connection, text

from jupyter_cabinet.core.events import EventBus, Scope
from jupyter_cabinet.core.redaction import Redactor
from jupyter_cabinet.storage.database import Database
from jupyter_cabinet.storage.event_log import KEPT_DAYS, WRITE_AGAIN_SECONDS, EventLog
from jupyter_cabinet.testing.manual_clock import ManualClock
from jupyter_cabinet.trust.model import TrustConfirmed

SCOPE = Scope(owner="ada", visibility="server")


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_what_happens_while_events_cannot_be_written_is_written_after_them(tmp_path: Path) -> None:
    database, bus, clock = Database(f"sqlite:///{tmp_path / 'c.db'}"), EventBus(), ManualClock()
    log = EventLog(database=database, bus=bus, clock=clock, redactor=Redactor(()))
    await database.open()
    await log.start()
    release = threading.Event()

    def block(connection: Connection) -> None:
        release.wait(10)
        connection.execute(text("ALTER TABLE events RENAME TO elsewhere"))

    blocked = asyncio.create_task(database.write(block))
    await turns()
    for root in ("one", "two"):
        bus.publish(TrustConfirmed(root=root, by="Ada"), SCOPE)
        await turns()  # the first is handed to the database, which is busy
    release.set()
    await blocked
    await database.read(lambda connection: None)  # behind the first event, which cannot be written
    await database.write(lambda connection: connection.execute(text("ALTER TABLE elsewhere RENAME TO events")) and None)
    await clock.advance(WRITE_AGAIN_SECONDS, busy=lambda: database.busy > 0)
    async with asyncio.timeout(10):
        found = await log.after(0)
    assert [b'"one"' in bytes(event.body) for event in found] == [True, False]
    await log.stop()
    await database.close()


async def test_a_reader_can_tell_that_all_older_events_are_gone(tmp_path: Path) -> None:
    database, bus, clock = Database(f"sqlite:///{tmp_path / 'c.db'}"), EventBus(), ManualClock()
    await database.open()
    for count in (3, 1):
        log = EventLog(database=database, bus=bus, clock=clock, redactor=Redactor(()))
        await log.start()
        for _ in range(count):
            bus.publish(TrustConfirmed(root="one", by="Ada"), SCOPE)
        await log.stop()
        await clock.advance((KEPT_DAYS + 1) * 86_400)
    assert (log.oldest, log.newest) == (4, 4)
    await database.close()
