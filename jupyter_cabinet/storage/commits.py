"""One transaction for a change, its events and its effects. Every change of a record goes through `Commits.commit`.

A crash before the transaction leaves nothing of them, a crash after it leaves all: events are read from the log,
effects are done from the outbox. The bus publishes committed events afterwards, even if the caller was cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from sqlalchemy import Connection

from ..core.events import Event, EventBus, Scope
from .database import Database
from .event_log import EventLog, LoggedEvent
from .outbox import Effect, Outbox

T = TypeVar("T")


class ScopedEvent(NamedTuple):
    """An event, and who may read it."""

    event: Event
    scope: Scope


Events = Callable[[T], Iterable[ScopedEvent]]
Effects = Callable[[T], Iterable[Effect]]


class _Done(NamedTuple):
    told: tuple[ScopedEvent, ...]
    logged: list[LoggedEvent]
    has_effects: bool


class Commits:
    """Writes changes together with their events and effects."""

    def __init__(
        self, *, database: Database, log: EventLog, outbox: Outbox, bus: EventBus, fence: Callable[[Connection], None]
    ) -> None:
        """`fence` raises if this server may not write any more."""
        self._database = database
        self._log = log
        self._outbox = outbox
        self._bus = bus
        self._fence = fence

    async def commit(
        self,
        change: Callable[[Connection], T],
        events: Events[T] = lambda changed: (),
        effects: Effects[T] = lambda changed: (),
    ) -> T:
        """Run `change` in a transaction, together with the events and effects of its result, and return that result.

        All three functions run on the database's thread, again if the connection breaks before the commit. Raises what
        they raise, `NoRoom` when the disk is full, `Unavailable` if the database does not answer, and `LeaseLost` if
        another server has taken over from this one. Then nothing of it has happened, except if an `Unavailable` says
        that this is not known.
        """

        def work(connection: Connection) -> tuple[T, _Done]:
            self._fence(connection)
            changed = change(connection)
            told, wanted = tuple(events(changed)), tuple(effects(changed))
            self._outbox.put(connection, wanted)
            return changed, _Done(told, self._log.insert(connection, told), bool(wanted))

        changed, _ = await self._database.write(work, then=self._tell)
        return changed

    def _tell(self, result: tuple[object, _Done]) -> None:
        _, done = result
        self._log.tell(done.logged)
        for event, scope in done.told:
            self._bus.tell(event, scope)
        if done.has_effects:
            self._outbox.wake()
