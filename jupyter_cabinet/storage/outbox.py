"""Effects of a committed change outside the database: stored in its transaction, done afterwards.

An effect is done at least once: it is removed when it was done, and after a crash in between it is done again, so it
must be repeatable. `backend.py` and the rooms register a handler for each topic. Rows of a server that died are
adopted.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable

import msgspec
from sqlalchemy import Connection, Delete, delete, insert, select, update

from ..core.clock import Clock
from ..core.errors import CabinetError
from .database import Database
from .tables import outbox

log = logging.getLogger(__name__)

AGAIN_SECONDS = (2.0, 10.0, 60.0, 300.0)  # after the first, second, … failure in a row; then always the last

Do = Callable[[str], Awaitable[None]]


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """Something to do. `topic` names its handler, which reads `body`.

    `key`: what it is about; if one fails, those of the same topic and key wait for it, and no others.
    """

    topic: str
    body: str
    key: str = ""


class Outbox:
    """Does the effects of this server, in the order of their insertion, each topic and key separately."""

    def __init__(self, *, database: Database, clock: Clock, holder: str, may_act: Callable[[], bool]) -> None:
        """`may_act`: whether no other server can have taken over this server's work."""
        self._database = database
        self._clock = clock
        self._holder = holder
        self._may_act = may_act
        self._doers: dict[str, Do] = {}
        self._wake = asyncio.Event()
        self._rests = asyncio.Event()  # everything that was there has been tried
        self._rests.set()
        self._task: asyncio.Task[None] | None = None

    def register(self, topic: str, do: Do) -> None:
        """Register the handler of a topic, in place of an earlier one. It is called again after a failure, and after a
        crash.

        Effects without a handler stay until one is registered.
        """
        self._doers[topic] = do

    def put(self, connection: Connection, effects: Iterable[Effect]) -> None:
        """Insert effects for this server, inside a transaction. Call `wake` after its commit."""
        for effect in effects:
            values = {"holder": self._holder, "topic": effect.topic, "key": effect.key, "body": effect.body}
            connection.execute(insert(outbox).values(**values))

    def adopt(self, connection: Connection, *, but_of: Collection[str]) -> None:
        """Adopt, inside a transaction, what servers have left, except those in `but_of`."""
        connection.execute(update(outbox).where(outbox.c.holder.not_in(but_of)).values(holder=self._holder))

    def drop(self, connection: Connection, *, but_of: Collection[str]) -> None:
        """Drop, inside a transaction, what servers have left, except those in `but_of`."""
        connection.execute(delete(outbox).where(outbox.c.holder.not_in(but_of)))

    def wake(self) -> None:
        """Try all stored effects soon. It does not wait for them."""
        self._rests.clear()
        self._wake.set()

    async def settled(self) -> None:
        """Return when everything that is there has been tried once.

        An effect that failed stays, and is tried again later.
        """
        await self._rests.wait()

    async def start(self) -> None:
        """Do the existing effects, and later ones, in a task.

        After failures it tries again after 2, 10, 60, then every 300 seconds.
        """
        self._task = asyncio.create_task(self._work())
        self.wake()

    async def stop(self) -> None:
        """Try every stored effect once more; those that fail are done at the next start.

        Nothing happens if it was not started.
        """
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            await self._do_all()

    async def _work(self) -> None:
        failures = 0
        while True:
            await self._wake.wait()
            self._wake.clear()
            failures = 0 if await self._do_all() else failures + 1
            if not self._wake.is_set():
                self._rests.set()
            if failures:
                again = AGAIN_SECONDS[min(failures, len(AGAIN_SECONDS)) - 1]
                self._clock.call_at(self._clock.monotonic() + again, self.wake)

    async def _do_all(self) -> bool:
        """Return whether nothing failed. After a failure the rest of its topic and key waits."""
        failed: set[tuple[str, str]] = set()
        try:
            for seq, effect in await self._database.read(self._mine):
                lane = effect.topic, effect.key
                if lane not in failed and not await self._do(seq, effect):
                    failed.add(lane)
        except Exception as error:
            log.error("An effect of a change could not be done. Trying again: %s", error)
            return False
        return not failed

    def _mine(self, connection: Connection) -> list[tuple[int, Effect]]:
        rows = connection.execute(select(outbox).where(outbox.c.holder == self._holder).order_by(outbox.c.seq)).all()
        return [(row.seq, Effect(topic=row.topic, body=row.body, key=row.key)) for row in rows]

    def _of_mine(self, seq: int) -> Delete:
        return delete(outbox).where(outbox.c.seq == seq, outbox.c.holder == self._holder)

    async def _do(self, seq: int, effect: Effect) -> bool:
        do = self._doers.get(effect.topic)
        if do is None:
            return True  # of a room that is not here: it stays until it is
        if not self._may_act():
            return False
        try:
            await do(effect.body)
        except CabinetError as error:
            log.warning("Trying again to do an effect of a change: %s", error.message)
            return False
        except Exception:
            log.exception("An effect of a change (%s) could not be done. Trying again", effect.topic)
            return False
        await self._database.write(lambda c: c.execute(self._of_mine(seq)) and None)
        return True
