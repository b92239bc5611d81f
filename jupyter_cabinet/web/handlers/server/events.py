"""`events`: everything that happens, as one numbered stream."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from ....core.people import may_see
from ...event_types import RESOURCES, AnyEvent
from ...operation import Query, operation
from ...sockets import CabinetSocket

if TYPE_CHECKING:
    from ....storage.event_log import LoggedEvent  # otherwise SQLAlchemy would be loaded before the server has started

# A terminal can be used only at the server where it is open, so other servers do not show it.
_SHOWS_TERMINAL = frozenset({"terminal_opened", "terminal_changed"})


class EventsHello(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hello"):
    """First frame. `seq` is the newest number."""

    seq: int


class EventsReset(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="reset"):
    """The requested events are no longer kept, or the reader's rights have changed: read the state again.

    Events after `seq` follow.
    """

    seq: int


class EventFrame(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="event"):
    """One event that the reader may see."""

    seq: int
    time: datetime
    event: AnyEvent


class _EventFrame(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="event"):
    """`EventFrame` around an event that is already encoded."""

    seq: int
    time: datetime
    event: msgspec.Raw


class EventsHandler(CabinetSocket):
    """`events`"""

    @operation(
        "read",
        socket=True,
        query=(
            Query(name="since", kind="integer", about="events after this number; without it only new ones"),
            Query(name="kinds", about="event types, separated by commas"),
        ),
    )
    async def get(self) -> None:
        """Stream all events that the reader may see."""
        newest = self.services.events.newest
        self.since = self.integer_argument("since", newest)
        self.kinds = frozenset((self.text_argument("kinds") or "").split(",")) - {""}
        self.rights = await self._rights()
        await self.upgrade()

    def open(self, *arguments: str) -> None:
        super().open(*arguments)
        self.spawn(self._send_on())

    def on_message(self, message: str | bytes) -> None:
        """Do nothing: a reader sends nothing."""

    async def look_again(self) -> None:
        """Check the reader's identity and rights again. If they have changed, send a `reset`."""
        before = self.principal, self.rights
        await super().look_again()
        self.rights = await self._rights()
        if (self.principal, self.rights) != before:
            await self.send(EventsReset(seq=self.since))

    async def _rights(self) -> frozenset[tuple[str, str]]:
        asked = [(action, resource) for resource in set(RESOURCES.values()) for action in ("read", "execute")]
        return frozenset([each for each in asked if await self.may(*each)])

    async def _send_on(self) -> None:
        log = self.services.events
        if self.since > log.newest:  # the reader may come from another server that has read further
            await log.catch_up()
        await self.send(EventsHello(seq=log.newest))
        if not log.oldest - 1 <= self.since <= log.newest:
            self.since = log.newest
            await self.send(EventsReset(seq=self.since))
        while True:
            for event in await log.after(self.since):
                self.since = event.seq
                if self._wanted(event) and not await self.send(_frame(event)):
                    return

    def _wanted(self, event: LoggedEvent) -> bool:
        visible = may_see(self.principal, event.scope.owner, event.scope.visibility)
        allowed = ("read", RESOURCES.get(event.type)) in self.rights
        wanted = visible and allowed and (not self.kinds or event.type in self.kinds)
        return wanted and (event.type not in _SHOWS_TERMINAL or _terminal_of(event) in self.services.terminals)


class _HasId(msgspec.Struct, frozen=True):
    id: str


class _AboutTerminal(msgspec.Struct, frozen=True):
    terminal: _HasId


def _terminal_of(event: LoggedEvent) -> str:
    try:
        return msgspec.json.decode(event.body, type=_AboutTerminal).terminal.id
    except msgspec.DecodeError:  # the table can be written by others
        return ""


def _frame(event: LoggedEvent) -> _EventFrame:
    return _EventFrame(seq=event.seq, time=datetime.fromtimestamp(event.time, UTC), event=event.body)
