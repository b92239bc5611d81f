"""The off switch that pauses work, and the gate of the queue.

While work is paused, no run is started. Working runs continue, unless the person ends them too. The switch counts for
every server on the root directory. It takes effect before it is stored, so that a full disk does not prevent a pause.
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
from .switch_model import Switch, WorkPaused, WorkResumed
from .tables import switches

log = logging.getLogger(__name__)

NAME = "work"


class OffSwitch:
    """The state of the off switch, and its changes."""

    def __init__(self, *, database: Database, commits: Commits, clock: Clock) -> None:
        self.state = Switch()
        self._unrecorded = False  # its state could not be stored yet
        self._database = database
        self._commits = commits
        self._clock = clock

    async def read(self) -> Switch:
        """Return the state, which another server may have changed.

        If a state of this server is not stored yet, store it. Raises `Unavailable` if the database does not answer, and
        `NoRoom` when the disk is full.
        """
        if self._unrecorded:
            await self._put()
        else:
            self.state = await self._database.read(_load)
        return self.state

    async def turn(self, *, paused: bool, principal: Principal) -> Switch:
        """Set the switch and return its state. It takes effect at once, and `WorkPaused` or `WorkResumed` is announced.

        Without effect if the switch is already set so. An error while storing is logged, and `read` tries again. The
        caller checks who may do this.
        """
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
    """Return the stored state. A damaged record counts as paused, because its content is unknown."""
    body = connection.execute(select(switches.c.body).where(switches.c.name == NAME)).scalar()
    if body is None:
        return Switch()
    try:
        return msgspec.json.decode(body, type=Switch)
    except (msgspec.DecodeError, UnicodeError, TypeError):
        return Switch(paused=True, by="a damaged record")


class Gate:
    """The conditions under which the queue may start runs.

    The gate is closed before the server has taken over earlier runs and while it stops (`accepting`), in an unconfirmed
    folder (`trusted`), while another server may hold this one's lease, and while work is paused.
    """

    def __init__(self, *, may_act: Callable[[], bool], switch: OffSwitch) -> None:
        self.accepting = False
        self.trusted = False
        self.switch = switch
        self._may_act = may_act

    @property
    def open(self) -> bool:
        """Return whether the queue may start runs."""
        return self.accepting and self.trusted and self._may_act() and not self.switch.state.paused

    @property
    def paused_by(self) -> str | None:
        """Return the display name of who has paused all work; None if it is not paused."""
        return self.switch.state.by if self.switch.state.paused else None
