"""One shared terminal: its stage, its viewers, the desk where its turn is kept.

Made by `hub.Terminals`. The rules are in `turns.py` and `lock.py`, the PTYs in `stage.py`; this puts them together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import msgspec

from ..core.clock import Clock
from ..core.errors import Conflict
from ..core.people import Person, Principal, Visibility
from ..sandboxes.port import ProcessExit
from . import model, views
from .agent import AgentProcess, Start
from .announcer import Announcer
from .audience import Audience
from .connection import Connection
from .desk import TurnDesk
from .gate import Gate
from .hands import Hands
from .orders import TypedInput
from .pty import Ptys
from .screen import Screen
from .settings import TerminalSettings
from .stage import Stage
from .tape import Tape
from .turns import Limits, Seat
from .viewer import NORMAL, AskRights, Viewer


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What does not change."""

    id: str
    name: str
    owner: Person
    visibility: Visibility
    program: str = "shell"
    lasting: bool = False  # a person opened it: a shell takes over when its agent ends
    record: bool | None = None  # whether who opened it wants it recorded; None: as the server is set
    cwd: str
    created_at: datetime


class OpenTerminal:
    """PTYs that many can watch and one can control."""

    def __init__(
        self,
        about: About,
        *,
        size: model.Size,
        clock: Clock,
        settings: TerminalSettings,
        ptys: Ptys,
        on_turn: Callable[[OpenTerminal, str, Person | None], None],
        on_changed: Callable[[OpenTerminal], None],
    ) -> None:
        self.about = about
        self.clock = clock
        self.settings = settings
        self.run_id: str | None = None
        self.closed_because = ""
        self._audience = Audience()
        self._announcer = Announcer(
            self._audience, clock=clock, on_changed=lambda: on_changed(self), on_again=self._fit
        )
        # Who follows along, a recorder: called with the screen that is shown now, the size, a run's title, at the end.
        self.on_shown = self._announcer.on_shown
        self.on_resized: list[Callable[[model.Size], None]] = []
        self.on_mark: list[Callable[[str], None]] = []
        self.on_over: list[Callable[[], None]] = []
        self.tape: Tape | None = None
        self._on_turn = on_turn
        self._on_changed = on_changed
        self._closed = False
        self._last_here = clock.monotonic()
        self._stage = Stage(
            self._announcer,
            cwd=about.cwd,
            lasting=about.lasting,
            size=size,
            clock=clock,
            settings=settings,
            ptys=ptys,
        )
        self._announcer.recheck_keys = self._stage.recheck_keys
        limits = Limits(grace_seconds=settings.grace_seconds, idle_seconds=settings.control_idle_seconds)
        self.desk = TurnDesk(about.owner, clock=clock, limits=limits, tell=self._audience.tell, moved=self._turn_moved)
        self.gate = Gate(about.owner, self.desk, self._stage)
        self.hands = Hands(gate=self.gate, desk=self.desk, stage=self._stage, audience=self._audience, clock=clock)

    # --- what others see -----------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self.about.id

    @property
    def agent(self) -> AgentProcess | None:
        return self._stage.agent

    @property
    def agent_state(self) -> model.AgentState | None:
        return self._stage.agent_state

    @property
    def screen(self) -> Screen | None:
        """The PTY that viewers see."""
        return self._stage.screen

    @property
    def keyboard(self) -> Screen | None:
        """The PTY that gets people's keys now; None: they are refused."""
        return self._stage.keyboard

    @property
    def occupied(self) -> bool:
        """An agent is here, or is being started."""
        return self._stage.occupied

    @property
    def size(self) -> model.Size:
        return self._stage.size

    @property
    def exit(self) -> ProcessExit | None:
        """How its last program ended; None while there is one, or none was started yet."""
        return self._announcer.exit

    @property
    def exited(self) -> bool:
        return self.exit is not None

    @property
    def folder(self) -> str:
        """Where its shell is now, else where it was opened."""
        shell = self._stage.shell
        return (shell.folder.path if shell is not None else "") or self.about.cwd

    @property
    def last_activity(self) -> float:
        """When a person last was here or pressed a key, in the clock's monotonic seconds. Now, if one is here."""
        return self.clock.monotonic() if self._audience else max(self._last_here, self.hands.last_key)

    def idle_seconds(self) -> float:
        """For how long nobody has been here."""
        return self.clock.monotonic() - self.last_activity

    def quiet_seconds(self, loop_time: float) -> float:
        """For how long nobody has been here and nothing was written. `loop_time`: the loop's, now."""
        screen = self.screen
        return self.idle_seconds() if screen is None else min(self.idle_seconds(), loop_time - screen.last_output)

    def last_typist(self) -> Person | None:
        """Who last typed something that was accepted."""
        return self.hands.last_typist

    def view(self) -> model.Terminal:
        """The terminal as others see it now."""
        return views.view_of(self)

    # --- who may -------------------------------------------------------------------------------

    def may_steer(self, principal: Principal) -> bool:
        """Whether `principal` may start, pause, resume and stop an agent here, record, and close the terminal."""
        return self.gate.may_steer(principal)

    def must_steer(self, principal: Principal) -> None:
        """Raises `NotYourTurn`."""
        self.gate.must_steer(principal)

    # --- programs ------------------------------------------------------------------------------

    def start_shell(self, command: Sequence[str] | None = None) -> None:
        """Start a shell, or `command` instead. Raises `Unavailable`."""
        self._stage.start_shell(command)

    def ensure_shell(self) -> None:
        """An agent was to come and did not: a terminal that a person opened has a shell then."""
        if self.about.lasting and not self.occupied:
            self._stage.ensure_shell()

    async def start_agent(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        title: str,
        by: Person | None = None,
    ) -> AgentProcess:
        """Open a PTY for an agent and put its launcher on it; the agent waits for `go`, and is shown at once.

        `environment` is the whole environment but for what the terminal itself adds. `by`: who wants it. Raises
        `Conflict` while another agent is here, `Unavailable` when the launcher does not start.
        """
        return await self._stage.start_agent(
            Start(argv=tuple(argv), cwd=cwd, environment=environment, title=title, by=by)
        )

    def agent_queued(self, queued: model.AgentQueued | None) -> None:
        """An agent is to be started here and waits for its turn; None: none any more."""
        self._announcer.agent_queued(queued)

    async def pause(self, principal: Principal) -> None:
        """Hold the agent and show the shell. Raises `NotYourTurn`, `Conflict`, `Unavailable`."""
        self.must_steer(principal)
        await self._agent_here().pause(person_of(principal))

    async def resume(self, principal: Principal) -> None:
        self.must_steer(principal)
        await self._agent_here().resume(person_of(principal))

    def _agent_here(self) -> AgentProcess:
        if self.agent is None or not self.agent.at_work:
            raise Conflict("No agent works in this terminal.", reason="exited")
        return self.agent

    def begin_run(self, run_id: str, label: str, by: Person) -> None:
        """A run starts here, asked for by `by`: control that is free is theirs."""
        self.desk.submitted(by)
        self.run_id = run_id
        self.mark(label)
        self._on_changed(self)

    def mark(self, label: str) -> None:
        """Something begins that people will look for in the recording."""
        for callback in list(self.on_mark):
            callback(label)

    async def record(self, on: bool, principal: Principal) -> model.Terminal:
        """Begin or end the recording. Raises `NotYourTurn`, `Unavailable`, `NoRoom`, `Conflict` where nothing comes."""
        self.must_steer(principal)
        if on and self.exited:
            raise Conflict("The program in this terminal has ended.", reason="exited")
        if self.tape is not None:
            self.tape.switch(on)
        return self.view()

    def recording_changed(self) -> None:
        """It was switched, or has begun by itself."""
        assert self.tape is not None
        self._audience.tell(model.RecordingChanged(on=self.tape.on, recorded=self.tape.recorded))

    def complain(self, kind: str, message: str) -> None:
        """Tell all who watch what went wrong."""
        self._audience.tell(model.ErrorFrame(kind=kind, message=message))

    # --- viewers -------------------------------------------------------------------------------

    def connect(
        self, viewer: Viewer, principal: Principal, *, can_execute: bool, ask: AskRights | None = None
    ) -> Connection:
        """Let a client in; one that was closed meanwhile says so to its first word, the attach.

        It is told nothing before. `ask`: its rights as they are then.
        """
        return Connection(self, viewer, principal, can_execute=can_execute, ask=ask)

    def attach(self, connection: Connection, *, since: int | None, source: model.ScreenSource | None) -> None:
        """A client has said its first word: greet it, show it the screen, tell the others."""
        if self._closed:
            connection.close(NORMAL, "This terminal is closed.")
            return
        # Before it is greeted: the greeting says what came of it.
        self.desk.join(Seat(connection=connection.id, person=connection.person, can_execute=connection.can_execute))
        self._audience.add(connection)
        controls = self.desk.controls(connection.person) and connection.can_execute
        if controls:
            self._audience.primary = connection
        primary = self._audience.primary is connection
        connection.stream.tell(views.hello_for(self, connection, primary=primary, viewers=self._audience.people()))
        self._tell_what_is(connection, since=since, source=source)
        if (away := self.desk.away()) is not None:
            connection.stream.tell(away)
        self._audience.tell_who_watches(but=connection)
        if controls and connection.size is not None:
            self.resize(connection.size)

    def _tell_what_is(self, connection: Connection, *, since: int | None, source: model.ScreenSource | None) -> None:
        """What a newcomer's greeting does not say."""
        stream, known = connection.stream, self._announcer
        if self.screen is not None:
            stream.show(self.screen, since=since, source=source)
            if self.screen.title:
                stream.tell(model.Title(text=self.screen.title))
        if self.agent is not None:
            stream.tell(self.agent.frame())
        if known.queued is not None:
            stream.tell(known.queued)
        if self.folder != self.about.cwd:
            stream.tell(model.CwdChanged(path=self.folder))
        if known.exited is not None:
            stream.tell(known.exited, after_output=True)

    def disconnect(self, connection: Connection) -> None:
        if connection in self._audience:
            self._last_here = self.clock.monotonic()
            self._audience.remove(connection, self.desk.turn.controller)
            self.desk.leave(connection.id)
            self._audience.tell_who_watches()
            self._fit()

    def right_changed(self, connection: Connection) -> None:
        """The right to execute was given to or taken from somebody who is connected."""
        if connection in self._audience:
            connection.stream.tell(model.RightChanged(can_execute=connection.can_execute))
            self.desk.rights(connection.id, connection.can_execute)
            self._audience.elect(self.desk.turn.controller)
            self._stage.recheck_keys()
            self._fit()

    async def type_for(self, principal: Principal, wanted: TypedInput) -> None:
        """Type for somebody who need not be connected, but must control. Raises `NotYourTurn`, `Conflict`."""
        await self.hands.type_for(person_of(principal), wanted)

    def resize(self, size: model.Size) -> None:
        if size == self._stage.size or self.exited:
            return
        self._stage.resize(size)
        self._audience.tell(model.Resized(cols=size.cols, rows=size.rows))
        for callback in list(self.on_resized):
            callback(size)

    async def close(self, reason: str) -> None:
        """End everything in it, say so to all who watch, let them go."""
        self._closed = True
        self.closed_because = reason
        await self._stage.close()
        self.desk.close()
        self._audience.dismiss(reason)
        for callback in list(self.on_over):
            callback()

    # --- inside --------------------------------------------------------------------------------

    def _turn_moved(self, why: str, by: Person | None) -> None:
        self._audience.elect(self.desk.turn.controller)
        self._stage.recheck_keys()
        self._fit()
        self._on_turn(self, why, by)

    def _fit(self) -> None:
        """The size is that of the controller's pane."""
        primary = self._audience.primary
        if primary is not None and primary.size is not None:
            self.resize(primary.size)


def person_of(principal: Principal) -> Person:
    return Person(username=principal.username, display_name=principal.display_name)
