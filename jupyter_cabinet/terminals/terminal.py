"""One shared terminal: puts its programs, its turn, its viewers and its recording together.

Made by `service.py`. The rules are in `turns/`, the PTYs in `programs/`; callers that need one of the parts get that
part.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

import msgspec

from ..core.clock import Clock
from ..core.errors import Conflict
from ..core.people import Person, Principal, Visibility, may_see
from ..sandboxes.port import Sandbox, Size
from . import frames, views
from .model import About, ScreenSource, Terminal
from .programs.input import ProgramInput
from .programs.programs import Programs
from .recording.recordings import Recordings
from .recording.switch import RecordingSwitch
from .screens.display import Display
from .settings import TerminalSettings
from .turns.control import TurnControl
from .turns.gate import InputGate
from .turns.transitions import Seat, TurnLimits
from .viewers.connection import Connection
from .viewers.connections import Connections
from .viewers.notifications import Notifications
from .viewers.transport import HIDDEN, NORMAL, AskRights, ViewerTransport


class TerminalListener(Protocol):
    """Receives what lists and events have to show."""

    def control_moved(self, terminal: OpenTerminal, why: str, by: Person | None) -> None:
        """Control has moved to somebody else, or to nobody.

        `why`: the name of the frame that reported it. `by`: who did it.
        """

    def changed(self, terminal: OpenTerminal) -> None:
        """Called when the agent's state or its run has changed, or its program has ended or was started again."""

    def recording_changed(self, terminal: OpenTerminal) -> None:
        """Called when the recording was switched, or has started or ended by itself."""


class OpenTerminal:
    """PTYs that many can watch and one can control. Its parts are its interface:

    - `about`: its properties; `set_visibility` changes who may see it
    - `programs`: the agent and the shell; starts them
    - `control`: the turn
    - `gate`: who may type, control and manage
    - `input`: everything that is typed
    - `display`: what is shown, and in which size
    - `viewers`: who is connected, and which viewer is primary
    - `recording`: whether it is recorded
    - `notifications`: sends frames to all viewers

    `run_id` is the run that works in it, else the last one; `closed_because` is a sentence once it is closed,
    and `hidden_because` while it is private after it was shared.
    """

    def __init__(
        self,
        about: About,
        *,
        size: Size,
        clock: Clock,
        settings: TerminalSettings,
        sandbox: Sandbox,
        recordings: Recordings | None,
        listener: TerminalListener,
    ) -> None:
        self.about = about
        self.clock = clock
        self.settings = settings
        self.run_id: str | None = None
        self.closed_because = ""
        self.hidden_because = ""
        self._listener = listener
        self._closed = False
        self._visibility_changed = asyncio.Event()  # another one after each change
        self._last_here = clock.monotonic()
        self.viewers = Connections()
        self.recording = RecordingSwitch(
            about, recordings, size=size, settings=settings, on_changed=self._recording_changed
        )
        self.notifications = Notifications(
            self.viewers, self.recording, on_changed=self._changed, on_restarted=self._fit
        )
        self.display = Display(self.notifications, size=size, clock=clock, settings=settings)
        self.programs = Programs(
            about, listener=self.notifications, display=self.display, sandbox=sandbox, clock=clock, settings=settings
        )
        limits = TurnLimits(grace_seconds=settings.grace_seconds, control_idle_seconds=settings.control_idle_seconds)
        self.control = TurnControl(
            about.owner, clock=clock, limits=limits, tell=self.viewers.tell, moved=self._turn_moved
        )
        self.gate = InputGate(about.owner, self.control, self.programs)
        self.input = ProgramInput(
            gate=self.gate, control=self.control, programs=self.programs, display=self.display, clock=clock
        )

    @property
    def id(self) -> str:
        """The id of the terminal, and of its recording."""
        return self.about.id

    def view(self) -> Terminal:
        """Return a snapshot of the terminal for API replies and events."""
        return views.view_of(self)

    @property
    def last_activity(self) -> float:
        """The monotonic time, in seconds, when a person was last connected or pressed a key.

        Now, if one is connected.
        """
        return self.clock.monotonic() if self.viewers else max(self._last_here, self.input.last_key)

    def idle_seconds(self) -> float:
        """Return the seconds since a person was last connected or pressed a key."""
        return self.clock.monotonic() - self.last_activity

    def quiet_seconds(self) -> float:
        """Return the seconds since the last connected person, key press or output, whichever is latest."""
        return min(self.idle_seconds(), self.display.quiet_seconds)

    def silent_seconds(self) -> float:
        """Return the seconds since the last output or key press, even if people watch it."""
        return min(self.clock.monotonic() - self.input.last_key, self.display.quiet_seconds)

    # --- operations of people ------------------------------------------------------------------

    async def pause(self, principal: Principal) -> None:
        """Pause the agent and show the shell. Return when all processes of the agent are stopped.

        Raises `NotYourTurn` if `principal` neither controls the terminal nor started it or its agent, `Conflict` if no
        agent works here, and `Unavailable` if a process does not stop within 2 seconds; the agent then continues.
        """
        self.gate.must_steer(principal)
        await self.programs.agent_at_work().pause(principal.person)

    async def resume(self, principal: Principal) -> None:
        """Let the agent continue where it was; one that is not paused does not change. Raises `NotYourTurn` like
        `pause`.

        Raises `Conflict` if no agent works here.
        """
        self.gate.must_steer(principal)
        await self.programs.agent_at_work().resume(principal.person)

    async def record(self, on: bool, principal: Principal) -> Terminal:
        """Start or end the recording, and return the terminal. Viewers are notified.

        Raises `NotYourTurn` like `pause`, `Unavailable` if nothing is recorded on this server, `NoRoom`, and `Conflict`
        if no output will come.
        """
        self.gate.must_steer(principal)
        if on and self.programs.exited:
            raise Conflict("The program in this terminal has ended.", reason="exited")
        self.recording.switch(on)
        return self.view()

    def admits(self, principal: Principal) -> bool:
        """Return whether `principal` may see this terminal."""
        return may_see(principal, self.about.owner.username, self.about.visibility)

    async def until_hidden_from(self, principal: Principal) -> None:
        """Wait, without a limit, until `principal` may no longer see this terminal. Returns at once if that is so."""
        while self.admits(principal):
            await self._visibility_changed.wait()

    def set_visibility(self, visibility: Visibility, reason: str) -> None:
        """Share the terminal, or make it private: with its screen, its earlier output and its recording.

        The connections of everybody who may no longer see it are closed with `reason`. If a person who is not connected
        any more had control, the owner gets it if they are connected and may execute; otherwise it is free. No event is
        emitted. The caller checks who may.
        """
        self.about = msgspec.structs.replace(self.about, visibility=visibility)
        self.hidden_because = reason if visibility == "private" else ""
        self.recording.set_visibility(visibility)
        self.viewers.keep(self.admits, HIDDEN, reason)
        self._visibility_changed.set()
        self._visibility_changed = asyncio.Event()
        controller, owner = self.control.turn.controller, self.about.owner
        here = {person.username for person in (owner, *self.viewers.people())}
        if visibility == "private" and controller is not None and controller.username not in here:
            self.control.take_back(owner)

    def begin_run(self, run_id: str, label: str, by: Person) -> None:
        """Record that a run starts here.

        `by` requested it, and gets control if it is free. `label`: its name in the recording.
        """
        self.control.submitted(by)
        self.run_id = run_id
        self.recording.mark(label)
        self._changed()

    async def close(self, reason: str) -> None:
        """End everything in it, notify all viewers, and disconnect them. Return when no process is left.

        Viewers get the remaining output first, for at most 5 seconds, which this does not wait for.
        """
        self._closed = True
        self.closed_because = reason
        await self.programs.close()
        self.control.close()
        self.viewers.dismiss(reason)
        await self.recording.end()

    # --- viewers: the port `SharedTerminal` ------------------------------------------------------

    def connect(
        self, transport: ViewerTransport, principal: Principal, *, can_execute: bool, ask: AskRights | None = None
    ) -> Connection:
        """Let a client in. The caller has checked that it may see the terminal.

        Nothing is sent before its first frame, the attach. If the terminal was closed meanwhile, the client learns it
        then. `ask`: returns its current rights.
        """
        return Connection(self, transport, principal, can_execute=can_execute, ask=ask)

    def attach(self, connection: Connection, *, since: int | None, source: ScreenSource | None) -> None:
        """Add a client that has sent its first frame: greet it, show it the screen, notify the others.

        If the terminal is closed, or private to another person by now, the connection is closed instead. It may get
        control that is free.
        """
        if self._closed:
            connection.close(NORMAL, self.closed_because)
            return
        if not self.admits(connection.principal):  # it was made private since the connection was accepted
            connection.close(HIDDEN, self.hidden_because or "This terminal is private.")
            return
        # Before the greeting, which reports the result.
        self.control.join(Seat(connection=connection.id, person=connection.person, can_execute=connection.can_execute))
        self.viewers.add(connection)
        controls = self.control.controls(connection.person) and connection.can_execute
        if controls:
            self.viewers.primary = connection
        views.greet(self, connection, since=since, source=source)
        self.viewers.tell_who_watches(but=connection)
        if controls and connection.size is not None:
            self.resize(connection.size)

    def disconnect(self, connection: Connection) -> None:
        """Remove a client that has disconnected. One that never attached changes nothing."""
        if connection in self.viewers:
            self._last_here = self.clock.monotonic()
            self.viewers.remove(connection, self.control.turn.controller)
            self.control.leave(connection.id)
            self.viewers.tell_who_watches()
            self._fit()

    def right_changed(self, connection: Connection) -> None:
        """Notify a client that its right to execute has changed, and update control."""
        if connection in self.viewers:
            connection.stream.tell(frames.RightChanged(can_execute=connection.can_execute))
            self.control.rights(connection.id, connection.can_execute)
            self._control_may_have_moved()

    def resize(self, size: Size) -> None:
        """Set the size for all, and notify the viewers. No effect once its program has ended. Nobody is checked."""
        if size == self.display.size or self.programs.exited:
            return
        self.display.resize(size)
        self.viewers.tell(frames.Resized(cols=size.cols, rows=size.rows))
        self.recording.resize(size)

    # --- inside --------------------------------------------------------------------------------

    def _changed(self) -> None:
        self.recording.changed(exited=self.programs.exited, occupied=self.programs.occupied)
        self._listener.changed(self)

    def _recording_changed(self) -> None:
        if self.recording.problem:
            self.notifications.problem("recording", self.recording.problem)
        self.viewers.tell(frames.RecordingChanged(on=self.recording.on, recorded=self.recording.recorded))
        self._listener.recording_changed(self)

    def _turn_moved(self, why: str, by: Person | None) -> None:
        self._control_may_have_moved()
        self._listener.control_moved(self, why, by)

    def _control_may_have_moved(self) -> None:
        self.viewers.elect(self.control.turn.controller)
        self.programs.recheck_input()
        self._fit()

    def _fit(self) -> None:
        """Use the size of the controller's pane."""
        primary = self.viewers.primary
        if primary is not None and primary.size is not None:
            self.resize(primary.size)
