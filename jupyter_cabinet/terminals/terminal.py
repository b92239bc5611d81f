"""One shared terminal: its screens, its viewers, the desk where its turn is kept, the agent in it.

Made by `hub.Terminals`. The rules are in `turns.py` and `lock.py`; this puts them together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import msgspec

from ..core.clock import Clock
from ..core.errors import Conflict, NotFound
from ..core.people import Person, Principal, Visibility
from ..sandboxes.control import LAUNCHER_ENVIRONMENT, Control
from ..sandboxes.port import ProcessExit
from . import model
from .agent import AgentProcess
from .audience import Audience
from .connection import Connection
from .desk import TurnDesk
from .pty import Ptys
from .queries import Query
from .screen import Screen
from .settings import TerminalSettings
from .turns import Limits, Seat
from .viewer import NORMAL, Viewer

PRIMARY_ANSWERS_SECONDS = 1.0


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What does not change."""

    id: str
    name: str
    owner: Person
    visibility: Visibility
    cwd: str
    created_at: datetime


class OpenTerminal:
    """A PTY that many can watch and one can control."""

    def __init__(
        self,
        about: About,
        *,
        size: model.Size,
        clock: Clock,
        settings: TerminalSettings,
        ptys: Ptys,
        on_turn: Callable[[OpenTerminal, str, Person | None], None],
        on_exited: Callable[[OpenTerminal, bool], None],
    ) -> None:
        self.about = about
        self.clock = clock
        self.settings = settings
        self.screen: Screen | None = None
        self.agent: AgentProcess | None = None
        self._size = size
        self._ptys = ptys
        self._on_turn = on_turn
        self._on_exited = on_exited
        self._audience = Audience()
        self._exit: ProcessExit | None = None
        self._starting = False
        self._closed = False
        self.closed_because = ""
        self._last_typist: Person | None = None
        self._last_activity = clock.monotonic()
        limits = Limits(grace_seconds=settings.grace_seconds, idle_seconds=settings.control_idle_seconds)
        self.desk = TurnDesk(about.owner, clock=clock, limits=limits, tell=self._audience.tell, moved=self._turn_moved)

    # --- what others see -----------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self.about.id

    @property
    def agent_state(self) -> model.AgentState | None:
        return self.agent.state if self.agent is not None else None

    @property
    def exited(self) -> bool:
        return self._exit is not None

    @property
    def last_activity(self) -> float:
        """When a person last was here or pressed a key, in the clock's monotonic seconds. Now, if one is here."""
        return self.clock.monotonic() if self._audience else self._last_activity

    def idle_seconds(self) -> float:
        """For how long nobody has been here."""
        return self.clock.monotonic() - self.last_activity

    def last_typist(self) -> Person | None:
        """Who last typed something that was accepted."""
        return self._last_typist

    def view(self) -> model.Terminal:
        """The terminal as others see it now."""
        return model.Terminal(
            id=self.about.id,
            name=self.about.name,
            owner=self.about.owner.username,
            visibility=self.about.visibility,
            agent_title=self.agent.title if self.agent is not None else None,
            agent_state=self.agent_state,
            controller=self.desk.turn.controller,
            size=self._size,
            cwd=self.about.cwd,
            created_at=self.about.created_at,
            exited=self.exited,
        )

    # --- the agent -----------------------------------------------------------------------------

    async def start_agent(
        self, argv: Sequence[str], *, cwd: str, environment: Mapping[str, str], title: str
    ) -> AgentProcess:
        """Open a PTY for an agent and put its launcher on it; the agent waits for `go`, and is shown at once.

        `environment` is the whole environment but for what the terminal itself adds. Raises `Conflict` while
        another agent is here, `Unavailable` when the launcher does not start.
        """
        if self._closed:
            raise NotFound("This terminal is closed.")
        if self._starting or (self.agent is not None and not self.agent.ended):
            raise Conflict("Another agent works in this terminal.")
        self._starting = True
        try:
            control, screen = await self._launch()
        finally:
            self._starting = False
        if self._closed:  # meanwhile
            control.close()
            await screen.finish()
            raise NotFound("This terminal is closed.")
        self._exit = None
        self.agent = AgentProcess(self, control, screen, argv=argv, cwd=cwd, environment=environment, title=title)
        self._show(screen)
        self.agent_changed(self.agent, "")
        self._on_exited(self, False)
        return self.agent

    def agent_changed(self, agent: AgentProcess, reason: str) -> None:
        if agent is not self.agent:
            return  # it failed before it was shown
        self._recheck_keys()
        self._audience.tell(model.AgentStateChanged(state=agent.state, title=agent.title, reason=reason))

    def agent_over(self, agent: AgentProcess, ended: ProcessExit) -> None:
        """All its output is in the ring: say how it ended, behind that output."""
        self._exit = ended
        self._audience.tell(_exited(ended), after_output=True)
        self._on_exited(self, True)

    async def _launch(self) -> tuple[Control, Screen]:
        control = Control.pair()
        try:
            pty = self._ptys.spawn(
                control.argv("terminal"),
                environment=LAUNCHER_ENVIRONMENT,
                size=self._size,
                pass_fds=(control.descriptor,),
            )
        except BaseException:
            control.close()
            raise
        # A client may come back with an offset of the agent before: it must never fit the new one's stream.
        first = self.screen.ring.end + 1 if self.screen is not None else 0
        screen = Screen(self._ptys, pty, "agent", size=self._size, settings=self.settings, first=first)
        try:
            await control.attach()
        except BaseException:
            control.close()
            await screen.finish()
            raise
        return control, screen

    # --- viewers -------------------------------------------------------------------------------

    def connect(self, viewer: Viewer, principal: Principal, *, can_execute: bool) -> Connection:
        """Let a client in. It is told nothing before it has attached."""
        if self._closed:
            raise NotFound("This terminal is closed.")
        return Connection(self, viewer, principal, can_execute=can_execute)

    def attach(self, connection: Connection, *, since: int | None, source: model.ScreenSource | None) -> None:
        """A client has said its first word: greet it, show it the screen, tell the others."""
        if self._closed:
            connection.close(NORMAL, "This terminal is closed.")
            return
        self._audience.add(connection)
        controls = self.desk.controls(connection.person)
        if controls:
            self._audience.primary = connection
        connection.stream.tell(self._hello(connection))
        if self.screen is not None:
            connection.stream.show(self.screen, since=since, source=source)
        if self._exit is not None:
            connection.stream.tell(_exited(self._exit), after_output=True)
        self.desk.join(Seat(connection=connection.id, person=connection.person, can_execute=connection.can_execute))
        self._audience.tell_who_watches(but=connection)
        if controls and connection.size is not None:
            self.resize(connection.size)

    def disconnect(self, connection: Connection) -> None:
        if connection in self._audience:
            self._last_activity = self.clock.monotonic()
            self._audience.remove(connection, self.desk.turn.controller)
            self.desk.leave(connection.id)
            self._audience.tell_who_watches()

    def type(self, connection: Connection, data: bytes) -> bool:
        """Queue the keys of a person who may type now; False when too much is queued already."""
        assert self.screen is not None
        epoch = self.desk.turn.epoch
        self._audience.primary = connection
        self._last_typist = connection.person
        self._last_activity = self.clock.monotonic()
        self.desk.typed()
        return self.screen.keyboard.put(
            data,
            admitted=lambda: self.desk.turn.epoch == epoch and connection.refusal() is None,
            dropped=lambda: connection.reject(connection.refusal() or "not_controller"),
        )

    def submitted(self, connection: Connection) -> None:
        if self.agent is not None:
            self.agent.submitted(connection.person)

    def reply(self, connection: Connection, data: bytes) -> None:
        """An emulator's automatic answer: from the primary alone, to a question that was asked, else dropped."""
        if connection is self._audience.primary and self.screen is not None and self.screen.queries.accept(data):
            self.screen.keyboard.answer(data)

    def resize(self, size: model.Size) -> None:
        if size == self._size or self.exited:
            return
        self._size = size
        if self.screen is not None:
            self.screen.resize(size)
        self._audience.tell(model.Resized(cols=size.cols, rows=size.rows))

    async def close(self, reason: str) -> None:
        """End the agent, say so to all who watch, let them go."""
        self._closed = True
        self.closed_because = reason
        if self.agent is not None:
            await self.agent.stop()
        self.desk.close()
        self._audience.dismiss(reason)

    # --- inside --------------------------------------------------------------------------------

    def _show(self, screen: Screen) -> None:
        self.screen = screen
        screen.on_flush = self._audience.wake
        screen.on_query = self._asked
        screen.on_title = lambda text: self._audience.tell(model.Title(text=text))
        if screen.size != self._size:  # changed while the launcher started
            screen.resize(self._size)
        self._audience.show(screen)

    def _asked(self, query: Query) -> None:
        """The primary answers. Without one, or when it keeps silent (replaying, in a hidden tab), the server."""
        assert self.screen is not None
        if self._audience.primary is None:
            self.screen.keyboard.answer(query.answer)
            return
        self.screen.queries.expect(query)
        if query.answer:
            asyncio.get_running_loop().call_later(PRIMARY_ANSWERS_SECONDS, self._answer_instead, self.screen, query)

    def _answer_instead(self, screen: Screen, query: Query) -> None:
        if screen.queries.give_up(query):
            screen.keyboard.answer(query.answer)

    def _turn_moved(self, why: str, by: Person | None) -> None:
        self._audience.elect(self.desk.turn.controller)
        self._recheck_keys()
        primary = self._audience.primary
        if primary is not None and primary.size is not None:
            self.resize(primary.size)
        self._on_turn(self, why, by)

    def _recheck_keys(self) -> None:
        if self.screen is not None:
            self.screen.keyboard.recheck()

    def _hello(self, connection: Connection) -> model.Hello:
        you = model.You(
            username=connection.person.username,
            display_name=connection.person.display_name,
            can_execute=connection.can_execute,
            primary=self._audience.primary is connection,
        )
        return model.Hello(
            terminal=self.view(),
            you=you,
            controller=self.desk.turn.controller,
            requests=self.desk.turn.requests,
            agent_state=self.agent_state,
            size=self._size,
            viewers=self._audience.people(),
            offset=self.screen.ring.end if self.screen is not None else 0,
        )


def _exited(ended: ProcessExit) -> model.Exited:
    return model.Exited(code=ended.code, signal=ended.signal)
