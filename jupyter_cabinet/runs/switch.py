"""The off switch, and whether runs may be started now. Active runs continue when it is switched off, unless a person
ends that too.

It counts for every server on the root directory. It takes effect before it is on record: a full disk does not keep
anybody from pausing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec
from sqlalchemy import Connection, delete, insert, select

from ..core.clock import Clock
from ..core.events import Scope
from ..core.people import Principal
from ..storage.commits import Commits, ScopedEvent
from ..storage.database import Database
from .model import Switch, WorkPaused, WorkResumed
from .tables import switches

log = logging.getLogger(__name__)

NAME = "work"


class OffSwitch:
    """What the switch says, and who changes it."""

    def __init__(self, *, database: Database, commits: Commits, clock: Clock) -> None:
        self.state = Switch()
        self._unrecorded = False  # it was switched, and could not be put on record yet
        self._database = database
        self._commits = commits
        self._clock = clock

    async def read(self) -> Switch:
        """As another server may have switched it meanwhile."""
        if self._unrecorded:
            await self._put()
        else:
            self.state = await self._database.read(_load)
        return self.state

    async def turn(self, *, paused: bool, principal: Principal) -> Switch:
        """Switch. It counts at once; its record follows as soon as that can be written."""
        if self.state.paused != paused:
            self.state = Switch(paused=paused, by=principal.display_name, at=self._clock.now())
            self._unrecorded = True
            try:
                await self._put()
            except Exception as error:
                log.error("The off switch could not be put on record, it is tried again: %s", error)
        return self.state

    async def _put(self) -> None:
        state = self.state
        event = WorkPaused(by=state.by) if state.paused else WorkResumed(by=state.by)

        def change(connection: Connection) -> None:
            connection.execute(delete(switches).where(switches.c.name == NAME))
            connection.execute(insert(switches).values(name=NAME, body=msgspec.json.encode(state).decode()))

        await self._commits.commit(change, lambda _: [ScopedEvent(event, Scope(owner="", visibility="server"))])
        self._unrecorded = False


def _load(connection: Connection) -> Switch:
    """What cannot be read counts as off: somebody has switched, and nobody knows how."""
    body = connection.execute(select(switches.c.body).where(switches.c.name == NAME)).scalar()
    if body is None:
        return Switch()
    try:
        return msgspec.json.decode(body, type=Switch)
    except (msgspec.DecodeError, UnicodeError, TypeError):
        return Switch(paused=True, by="a damaged record")


class Gate:
    """Shut until the server has taken over what an earlier one left, and when it ends (`accepting`); in a folder that
    nobody has confirmed (`trusted`); while another server may hold this one's lease; while work is paused."""

    def __init__(self, *, may_act: Callable[[], bool], switch: OffSwitch) -> None:
        self.accepting = False
        self.trusted = False
        self.switch = switch
        self._may_act = may_act

    @property
    def open(self) -> bool:
        """Whether the queue may start what waits."""
        return self.accepting and self.trusted and self._may_act() and not self.switch.state.paused
