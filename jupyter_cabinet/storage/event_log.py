"""The log of events: numbered, kept 30 days, followed by any number of readers.

A reader has a number, not a queue: a slow one costs nothing. The newest records are also kept in memory. `commits.py`
inserts the events of a change in its transaction; events without a record come from the bus.
`web/handlers/server/events.py` reads here.

The table is the truth, and several servers may write to it. The order of the log is the order of the numbers: a
transaction that inserts events holds a lock until its commit, so a visible number has no smaller one still to come.
The lock limits all servers together to about as many commits with events per second as one server alone has. Reading
only below the oldest open transaction would need no lock, but then one long transaction of any program, such as a
backup, would delay all events.

A server's own events go to its readers directly, unless a number before them is missing. Then, and when another server
has committed, the log reads the table.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterable
from functools import partial

import msgspec
from sqlalchemy import Connection, delete, func, insert, select

from ..core.clock import Clock
from ..core.events import Event, EventBus, Scope
from ..core.redaction import Redactor
from .database import Database
from .dialects import notify, take_turn
from .other_servers import OtherServers, other_servers
from .tables import events

log = logging.getLogger(__name__)

KEPT_DAYS = 30
IN_MEMORY = 1_000
WRITE_AGAIN_SECONDS = 2.0
PAGE = 500


class LoggedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """A numbered event. `body` is its JSON; `time` in seconds since 1970."""

    seq: int
    time: float
    type: str
    scope: Scope
    body: msgspec.Raw


class EventLog:
    """Writes the events of the bus, in order, and lets readers follow."""

    def __init__(self, *, database: Database, bus: EventBus, clock: Clock, redactor: Redactor) -> None:
        self._database = database
        self._clock = clock
        self._redactor = redactor
        self._pending: list[tuple[float, str, Scope, str]] = []
        self._recent: deque[LoggedEvent] = deque(maxlen=IN_MEMORY)
        self._changed = asyncio.Event()
        self._wake = asyncio.Event()
        self._behind = asyncio.Event()  # the table may have events that are not in memory
        self._reads = True  # whether the last reading succeeded
        self._tasks: list[asyncio.Task[None]] = []
        self._others: OtherServers | None = None
        self._unsubscribe = bus.subscribe_unrecorded(self._take)
        self.oldest = 1  # every event from this number on can still be read
        self.newest = 0

    async def start(self) -> None:
        """Drop events that are older than 30 days, and start to write those of the bus, in tasks.

        Raises what `Database.write` raises.
        """
        self.oldest, self.newest = await self._database.write(self._trim)
        self._tasks = [asyncio.create_task(self._write_on()), asyncio.create_task(self._read_on())]
        self._others = other_servers(self._database.url, self._clock, self._heard)
        if self._others is not None:
            self._others.start()

    async def stop(self) -> None:
        """Write the remaining events.

        Readers that wait in `after` are not woken. Raises what `Database.write` raises.
        """
        self._unsubscribe()
        if self._others is not None:
            await self._others.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._write_pending()
        if self._behind.is_set():
            await self.catch_up()

    async def after(self, seq: int) -> list[LoggedEvent]:
        """Return the next events after this number, not always all; wait without a limit if there is none yet.

        They are ordered by number, and never an empty list unless they were deleted meanwhile. They are not filtered:
        the caller checks the `scope` of each. Those before `oldest` are gone, and skipped silently.
        """
        while True:
            changed = self._changed
            if self.newest > seq:
                return await self._read(seq)
            await changed.wait()

    async def _read(self, seq: int) -> list[LoggedEvent]:
        if self._recent and self._recent[0].seq <= seq + 1:
            return [event for event in self._recent if event.seq > seq]
        return await self._database.read(lambda c: _load(c, seq))

    def _take(self, event: Event, scope: Scope) -> None:
        self._pending.append(self._entry(event, scope))
        self._wake.set()

    async def _write_on(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._write_pending()
            except Exception as error:
                log.error("Events could not be written. Trying again: %s", error)
                await self._clock.sleep(WRITE_AGAIN_SECONDS)
                self._wake.set()

    async def _write_pending(self) -> None:
        batch, self._pending = self._pending, []
        if not batch:
            return
        try:
            await self._database.write(lambda c: _insert_all(c, batch), then=self.tell)
        except Exception:  # not a cancellation: the database thread continues, and writing twice would be wrong
            self._pending[:0] = batch
            raise

    def insert(self, connection: Connection, told: Iterable[tuple[Event, Scope]]) -> list[LoggedEvent]:
        """Insert them, redacted, inside a transaction as its last step; `tell` must follow after the commit."""
        return _insert_all(connection, [self._entry(event, scope) for event, scope in told])

    def tell(self, logged: list[LoggedEvent]) -> None:
        """Publish committed events to the readers. Called in the order of the transactions.

        If a number before them is missing, readers get them only after the table has been read.
        """
        if not logged:
            return
        if logged[0].seq == self.newest + 1:
            self._append(logged)
        else:
            self._behind.set()

    def _heard(self, newest: int | None) -> None:
        """A server, perhaps this one, has committed events up to this number. None: there may be some."""
        if newest is None or newest > self.newest:
            self._behind.set()

    async def catch_up(self) -> None:
        """Read the events of other servers that this one has not seen yet, and publish them.

        Raises what `Database.read` raises.
        """
        self._behind.clear()
        while page := await self._database.read(partial(_load, seq=self.newest)):
            self._append(page)

    def _append(self, logged: list[LoggedEvent]) -> None:
        """Ignores those that are there already: another reading may have been faster."""
        new = [event for event in logged if event.seq > self.newest]
        if not new:
            return
        if self.newest == 0:
            self.oldest = new[0].seq  # all older events have been trimmed
        self._recent.extend(new)
        self.newest = new[-1].seq
        self._changed.set()
        self._changed = asyncio.Event()

    async def _read_on(self) -> None:
        while True:
            await self._behind.wait()
            try:
                await self.catch_up()
                self._reads = True
            except Exception as error:
                if self._reads:  # reported once
                    log.warning("The events of other servers could not be read. Trying again: %s", error)
                self._reads = False
                self._behind.set()
                await self._clock.sleep(WRITE_AGAIN_SECONDS)

    def _entry(self, event: Event, scope: Scope) -> tuple[float, str, Scope, str]:
        body = self._redactor.redact(msgspec.json.encode(event).decode())
        return (self._clock.now().timestamp(), str(event.__struct_config__.tag), scope, body)

    def _trim(self, connection: Connection) -> tuple[int, int]:
        limit = self._clock.now().timestamp() - KEPT_DAYS * 86_400
        connection.execute(delete(events).where(events.c.time < limit))
        first, last = connection.execute(select(func.min(events.c.seq), func.max(events.c.seq))).one()
        return (first or 1, last or 0)


def _insert_all(connection: Connection, entries: list[tuple[float, str, Scope, str]]) -> list[LoggedEvent]:
    """Insert events as the last step of a transaction, which holds the lock until it ends."""
    if not entries:
        return []
    take_turn(connection, "events")
    logged = [_insert(connection, *entry) for entry in entries]
    notify(connection, logged[-1].seq)
    return logged


def _insert(connection: Connection, time: float, tag: str, scope: Scope, body: str) -> LoggedEvent:
    values = {"time": time, "type": tag, "owner": scope.owner, "visibility": scope.visibility, "body": body}
    key = connection.execute(insert(events).values(**values)).inserted_primary_key
    assert key is not None
    return LoggedEvent(seq=key[0], time=time, type=tag, scope=scope, body=msgspec.Raw(body.encode()))


def _load(connection: Connection, seq: int) -> list[LoggedEvent]:
    query = select(events).where(events.c.seq > seq).order_by(events.c.seq).limit(PAGE)
    return [
        LoggedEvent(
            seq=row.seq,
            time=row.time,
            type=row.type,
            scope=Scope(owner=row.owner, visibility=row.visibility),
            body=msgspec.Raw(row.body.encode()),
        )
        for row in connection.execute(query)
    ]
