"""The PTYs of one terminal, the agent's and the person's shell, and which of both is shown. Knows no people.

Made by `OpenTerminal`, which is its `Host`. Which PTY when is `lock.py`'s rule.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Protocol

from ..core.clock import Clock
from ..core.errors import Conflict, Invalid, NotFound, Unavailable
from ..sandboxes.control import LAUNCHER_ENVIRONMENT, Control
from ..sandboxes.port import ProcessExit
from . import lock
from .agent import AgentProcess, Start
from .model import AgentState, ScreenSource, Size
from .pty import Pty, Ptys, terminal_environment
from .screen import Screen
from .settings import TerminalSettings
from .shell import Shell
from .vt.queries import Query

log = logging.getLogger(__name__)

PRIMARY_ANSWERS_SECONDS = 1.0
LEAST_LIFE_SECONDS = 2.0  # a shell that ends sooner is not started again


class Host(Protocol):
    """Who is told what happens on the stage."""

    def show(self, screen: Screen) -> None:
        """Another PTY is shown."""

    def agent_changed(self, agent: AgentProcess | None) -> None:
        """Its state; None: it is spoken of no more."""

    def keys_changed(self) -> None:
        """Who may type may have changed."""

    def over(self, ended: ProcessExit | None) -> None:
        """The last program has ended, with all its output; None: another was started."""

    def titled(self, text: str) -> None: ...

    def moved_to(self, folder: str) -> None: ...

    def wake(self) -> None:
        """There is output."""

    def has_primary(self) -> bool:
        """Somebody is there whose emulator answers queries."""

    def primary_slows(self, screen: Screen) -> bool:
        """Whether the program is to wait for that emulator."""


class Stage:
    """`lasting`: a shell takes over when the agent ends."""

    def __init__(
        self,
        host: Host,
        *,
        cwd: str,
        lasting: bool,
        size: Size,
        clock: Clock,
        settings: TerminalSettings,
        ptys: Ptys,
    ) -> None:
        self.screen: Screen | None = None
        self.agent: AgentProcess | None = None
        self.shell: Shell | None = None
        self.size = size
        self.lasting = lasting
        self._host = host
        self._cwd = cwd
        self._clock = clock
        self._settings = settings
        self._ptys = ptys
        self._ends: dict[ScreenSource, int] = {}  # where the stream of the last PTY of each kind may stand
        self._starting = False
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._forgetting: asyncio.TimerHandle | None = None

    @property
    def agent_state(self) -> AgentState | None:
        return self.agent.state if self.agent is not None else None

    @property
    def lock_state(self) -> AgentState | None:
        """The state by which keys are judged: an agent that is being held takes none any more."""
        return "running" if self.agent is not None and self.agent.changing else self.agent_state

    @property
    def keyboard(self) -> Screen | None:
        """The PTY that gets people's keys now, while it is alive."""
        source = lock.KEYBOARD[self.lock_state]
        if source == "agent" and self.agent is not None:
            return self.agent.screen if self.agent.screen.open else None
        if source == "shell" and self.shell is not None and self.shell.alive:
            return self.shell.screen
        return None

    @property
    def occupied(self) -> bool:
        """An agent is here, or is being started."""
        return self._starting or (self.agent is not None and self.agent.at_work)

    def resize(self, size: Size) -> None:
        self.size = size
        if self.screen is not None:
            self.screen.resize(size)

    def recheck_keys(self) -> None:
        """Drop what waits and is not admitted any more."""
        for place in (self.agent, self.shell):
            if place is not None:
                place.screen.keyboard.recheck()

    async def close(self) -> None:
        """End everything."""
        self._closed = True
        if self._forgetting is not None:
            self._forgetting.cancel()
        stops = [place.stop() for place in (self.agent, self.shell) if place is not None]
        await asyncio.gather(*stops, *self._tasks)

    # --- the shell -----------------------------------------------------------------------------

    def start_shell(self, command: Sequence[str] | None = None) -> None:
        """Start a shell, or `command` instead, and show it if it has the keyboard.

        Raises `Invalid` for a `command` that there is not, `Unavailable` for what cannot be started.
        """
        argv = list(command or self._settings.shell)
        try:
            pty = self._ptys.spawn(
                argv, environment=terminal_environment(self._settings.shell_environment), size=self.size, cwd=self._cwd
            )
        except OSError as error:
            if command and isinstance(error, FileNotFoundError):
                raise Invalid(f"{argv[0]} was not found, or is no program.", field="command") from None
            raise Unavailable(f"{argv[0]} cannot be started: {str(error.strerror or error).rstrip('.')}.") from None
        screen = self._screen(pty, "shell")
        self.shell = Shell(screen, on_over=self._shell_over, on_folder=self._host.moved_to)
        self._host.over(None)
        self._refresh()

    def ensure_shell(self) -> None:
        """A shell is wanted now. One that cannot be started is told in the log, and the agent's screen stays."""
        if self._closed or (self.shell is not None and self.shell.alive):
            return
        try:
            self.start_shell()
        except Unavailable as error:
            log.error("No shell for a terminal: %s", error.message)

    def _shell_over(self, shell: Shell) -> None:
        if shell is not self.shell:
            return
        if self._closed:
            self._end_shown(shell)
        elif self.agent_state == "paused":
            if asyncio.get_running_loop().time() - shell.started_at >= LEAST_LIFE_SECONDS:
                self.ensure_shell()
        elif self.lasting and not self.occupied:
            self._host.over(shell.exit)
        self._host.keys_changed()

    # --- the agent -----------------------------------------------------------------------------

    async def start_agent(self, start: Start) -> AgentProcess:
        """Open a PTY for an agent, put its launcher on it, and show it. Raises `Conflict`, `Unavailable`."""
        self._must_be_open()
        if self.occupied:
            raise Conflict("Another agent works in this terminal.")
        self._starting = True
        try:
            control, screen = await self._launch()
        finally:
            self._starting = False
        if self._closed:  # meanwhile
            control.close()
            await screen.finish()
        self._must_be_open()
        self.agent = AgentProcess(control, screen, start, clock=self._clock)
        self.agent.on_changed = self._agent_changed
        self._host.over(None)
        self._agent_changed(self.agent)
        return self.agent

    def _must_be_open(self) -> None:
        if self._closed:
            raise NotFound("This terminal is closed.")

    async def _launch(self) -> tuple[Control, Screen]:
        control = Control.pair()
        try:
            pty = self._ptys.spawn(
                control.argv("terminal"),
                environment=LAUNCHER_ENVIRONMENT,
                size=self.size,
                pass_fds=(control.descriptor,),
            )
        except BaseException:
            control.close()
            raise
        screen = self._screen(pty, "agent")
        try:
            await control.attach()
        except BaseException:
            control.close()
            await screen.finish()
            raise
        return control, screen

    def _agent_changed(self, agent: AgentProcess) -> None:
        if agent is not self.agent:
            return
        over = agent.state == "stopped"
        if agent.state == "paused" or (over and self.lasting):
            self.ensure_shell()
        self._refresh()
        self._host.agent_changed(agent)
        if over and self._closed:
            self._end_shown(agent)
        elif over:
            self._agent_over(agent)

    def _end_shown(self, place: AgentProcess | Shell) -> None:
        """The terminal is being closed: what viewers see has ended."""
        if place.screen is self.screen:
            self._host.over(place.exit)

    def _agent_over(self, agent: AgentProcess) -> None:
        """A run's own terminal ends with its agent, and the shell that a pause has opened in it too."""
        if not self.lasting and self.shell is not None and self.shell.alive:
            self._later(self.shell)
        if not self.lasting or self.shell is None or not self.shell.alive:
            self._host.over(agent.exit)
        loop = asyncio.get_running_loop()
        self._forgetting = loop.call_later(self._settings.stopped_kept_seconds, self._forget, agent)

    def _forget(self, agent: AgentProcess) -> None:
        if agent is self.agent and not self._closed:
            self._ends["agent"] = agent.screen.ring.end + 1
            self.agent = None
            self._host.agent_changed(None)

    def _later(self, shell: Shell) -> None:
        task = asyncio.create_task(shell.stop())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- what is shown -------------------------------------------------------------------------

    def _screen(self, pty: Pty, source: ScreenSource) -> Screen:
        # A client may come back with an offset of an earlier PTY: it must never fit the new one's stream.
        before = self.agent if source == "agent" else self.shell
        if before is not None:
            self._ends[source] = before.screen.ring.end + 1
        first = self._ends.get(source, 0)
        screen = Screen(self._ptys, pty, source, size=self.size, settings=self._settings, first=first)
        screen.on_query = lambda query: self._asked(screen, query)
        screen.on_title = lambda text: self._host.titled(text) if screen is self.screen else None
        return screen

    def _refresh(self) -> None:
        """Show what the agent's state asks for."""
        wanted: Screen | None = self.agent.screen if self.agent is not None else None
        if lock.shown(self.agent_state) == "shell" and self.shell is not None:
            wanted = self.shell.screen if self.lasting or self.agent_state == "paused" else wanted
        if wanted is None or wanted is self.screen:
            return
        if self.screen is not None:
            self.screen.hide()
        self.screen = wanted
        wanted.show(self._host.wake, self._host.primary_slows)
        if wanted.size != self.size:  # changed while it was hidden, or while the launcher started
            wanted.resize(self.size)
        self._host.show(wanted)

    # --- queries -------------------------------------------------------------------------------

    def _asked(self, screen: Screen, query: Query) -> None:
        """The primary answers. Without one, or when it keeps silent (replaying, in a hidden tab), the server."""
        if screen is not self.screen or not self._host.has_primary():
            screen.keyboard.answer(query.answer)
            return
        screen.queries.expect(query)
        if query.answer:
            asyncio.get_running_loop().call_later(PRIMARY_ANSWERS_SECONDS, self._answer_instead, screen, query)

    def _answer_instead(self, screen: Screen, query: Query) -> None:
        if screen.queries.give_up(query):
            screen.keyboard.answer(query.answer)
