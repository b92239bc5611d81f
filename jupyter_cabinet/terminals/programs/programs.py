"""The programs of one terminal: an agent CLI and a person's shell, and which of them people see and type into.

Made by `terminal.py`. Knows no people except the one who started the agent. `turns/lock.py` has the rule which PTY is
shown when.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Protocol

from ...core.clock import Clock, Timer
from ...core.errors import Conflict, Invalid, NotFound, Unavailable
from ...core.people import Person
from ...sandboxes.environment import terminal_environment
from ...sandboxes.port import ProcessExit, PtySandbox, Sandbox
from ...sandboxes.view import SandboxView
from ..frames import Exited
from ..model import About, AgentState
from ..screens.display import Display
from ..screens.screen import Screen
from ..settings import TerminalSettings
from ..turns import lock
from .agent import AgentProcess
from .shell import Shell

log = logging.getLogger(__name__)

LEAST_LIFE_SECONDS = 2.0  # a shell that ends sooner is not started again


class ProgramsListener(Protocol):
    """Receives the events of the programs."""

    def agent_changed(self, agent: AgentProcess | None) -> None:
        """Called when the agent's state has changed. None: the agent is no longer shown."""

    def over(self, ended: Exited) -> None:
        """Called when the last program has ended and all its output was read."""

    def restarted(self) -> None:
        """Called when a program was started after the last one had ended."""

    def moved_to(self, folder: str) -> None:
        """Called when the shell has changed its folder."""


class Programs:
    """`agent` and `shell` stay after their end, until they are replaced or the agent is no longer shown.

    `ended`: how and when the last program ended; None while there is one, or none was started yet.
    """

    def __init__(
        self,
        about: About,
        *,
        listener: ProgramsListener,
        display: Display,
        sandbox: Sandbox,
        clock: Clock,
        settings: TerminalSettings,
    ) -> None:
        self.agent: AgentProcess | None = None
        self.shell: Shell | None = None
        self.ended: Exited | None = None
        self._about = about
        self._listener = listener
        self._display = display
        self._sandbox = sandbox
        self._clock = clock
        self._settings = settings
        self._starting = False
        self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._forgetting: Timer | None = None

    @property
    def agent_state(self) -> AgentState | None:
        """The state of the agent. None: there is no agent, or it is no longer shown."""
        return self.agent.state if self.agent is not None else None

    @property
    def agent_started_by(self) -> Person | None:
        """The person who started the agent that is here; None if there is no agent, or if no person has started it."""
        return self.agent.started_by if self.agent is not None else None

    @property
    def lock_state(self) -> AgentState | None:
        """The agent state that decides about keys; None without an agent.

        An agent that is being paused takes no keys any more.
        """
        return "running" if self.agent is not None and self.agent.changing else self.agent_state

    @property
    def keyboard(self) -> Screen | None:
        """The PTY that gets people's keys now, while it is alive; None: they are refused."""
        source = lock.KEYBOARD[self.lock_state]
        if source == "agent" and self.agent is not None:
            return self.agent.screen if self.agent.screen.open else None
        if source == "shell" and self.shell is not None and self.shell.alive:
            return self.shell.screen
        return None

    @property
    def occupied(self) -> bool:
        """Whether an agent is running here or is being started."""
        return self._starting or (self.agent is not None and self.agent.at_work)

    @property
    def exited(self) -> bool:
        """Whether a program has ended and no other was started."""
        return self.ended is not None

    @property
    def folder(self) -> str:
        """The current folder of the shell, else the folder where the terminal was opened. Absolute."""
        return (self.shell.folder.path if self.shell is not None else "") or self._about.cwd

    def agent_at_work(self) -> AgentProcess:
        """Return the agent that can be paused and resumed. Raises `Conflict` if there is none."""
        if self.agent is None or not self.agent.at_work:
            raise Conflict("No agent works in this terminal.", reason="exited")
        return self.agent

    def recheck_input(self) -> None:
        """Drop waiting input that is no longer admitted, because the right to type has moved."""
        for program in (self.agent, self.shell):
            if program is not None:
                program.screen.input.recheck()

    async def close(self) -> None:
        """End everything, and return when nothing is left. Nothing can be started afterwards."""
        self._closed = True
        if self._forgetting is not None:
            self._forgetting.cancel()
        stops = [program.stop() for program in (self.agent, self.shell) if program is not None]
        await asyncio.gather(*stops, *self._tasks)

    # --- the shell -----------------------------------------------------------------------------

    def start_shell(self, command: Sequence[str] | None = None) -> None:
        """Start a shell, or `command` instead, and show it if it has the keyboard. Return without waiting for its
        output.

        Raises `Invalid` if `command` does not exist, `Unavailable` if it cannot be started.
        """
        argv = list(command or self._settings.terminal_shell)
        environment, size = terminal_environment(self._settings.shell_environment), self._display.size
        try:
            session = self._sandbox.start_session(argv, cwd=self._about.cwd, environment=environment, size=size)
        except OSError as error:
            if command and isinstance(error, FileNotFoundError):
                raise Invalid(
                    (f"{argv[0]} was not found, or is not a program. Check the command."), field="command"
                ) from None
            raise Unavailable(f"{argv[0]} could not be started: {str(error.strerror or error).rstrip('.')}.") from None
        screen = self._display.add(session.pty, "shell", size=size)
        self.shell = Shell(
            session, screen, clock=self._clock, on_over=self._shell_over, on_folder=self._listener.moved_to
        )
        self._restarted()
        self._refresh()

    def agent_did_not_come(self) -> None:
        """Start a shell after an agent could not be started, in a terminal that a person opened.

        A failure is only logged.
        """
        if self._about.lasting and not self.occupied:
            self._ensure_shell()

    def _ensure_shell(self) -> None:
        """Start a shell. If it cannot be started, the log says why, and the agent's screen stays."""
        if self._closed or (self.shell is not None and self.shell.alive):
            return
        try:
            self.start_shell()
        except Unavailable as error:
            log.error("The shell of a terminal could not be started: %s", error.message)

    def _shell_over(self, shell: Shell) -> None:
        if shell is not self.shell:
            return
        if self._closed:
            self._end_shown(shell)
        elif self.agent_state == "paused":
            if self._clock.monotonic() - shell.started_at >= LEAST_LIFE_SECONDS:
                self._ensure_shell()
        elif self._about.lasting and not self.occupied:
            self._over(shell.exit)
        self.recheck_input()

    # --- the agent -----------------------------------------------------------------------------

    async def start_agent(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        environment: Mapping[str, str],
        title: str,
        by: Person | None = None,
        sandbox: PtySandbox | None = None,
        view: SandboxView | None = None,
    ) -> AgentProcess:
        """Open a PTY for an agent and put its launcher on it; the agent waits for `go`, and is shown at once.

        `environment` is the whole environment, except for variables that the terminal itself adds. `by`: who requested
        it. `sandbox`: where it starts; None: beside the server. `view`: what it sees there; None: everything.

        Raises `Conflict` while another agent is here, `NotFound` when the terminal is closed, `Unavailable` when the
        launcher does not start.
        """
        self._must_be_open()
        if self.occupied:
            raise Conflict("Another agent works in this terminal. Wait until it has ended, or open another terminal.")
        size, self._starting = self._display.size, True
        try:
            process = await (sandbox or self._sandbox).start_on_pty(
                argv, cwd=cwd, environment=terminal_environment(environment), size=size, view=view
            )
        finally:
            self._starting = False
        screen = self._display.add(process.pty, "agent", size=size)
        if self._closed:  # in the meantime
            process.close()
            await screen.finish()
        self._must_be_open()
        self.agent = AgentProcess(
            process, screen, title=title, started_by=by, clock=self._clock, on_changed=self._agent_changed
        )
        self._restarted()
        self._agent_changed(self.agent)
        return self.agent

    def _must_be_open(self) -> None:
        if self._closed:
            raise NotFound("This terminal is closed.")

    def _agent_changed(self, agent: AgentProcess) -> None:
        if agent is not self.agent:
            return
        ended = agent.state == "stopped"
        if agent.state == "paused" or (ended and self._about.lasting):
            self._ensure_shell()
        self._refresh()
        self.recheck_input()
        self._listener.agent_changed(agent)
        if ended and self._closed:
            self._end_shown(agent)
        elif ended:
            self._agent_over(agent)

    def _agent_over(self, agent: AgentProcess) -> None:
        """A run's own terminal ends with its agent, together with the shell that a pause has opened in it."""
        if not self._about.lasting and self.shell is not None and self.shell.alive:
            self._stop_later(self.shell)
        if not self._about.lasting or self.shell is None or not self.shell.alive:
            self._over(agent.exit)
        at = self._clock.monotonic() + self._settings.stopped_kept_seconds
        self._forgetting = self._clock.call_at(at, lambda: self._forget(agent))

    def _forget(self, agent: AgentProcess) -> None:
        if agent is self.agent and not self._closed:
            self._display.forget(agent.screen)
            self.agent = None
            self.recheck_input()
            self._listener.agent_changed(None)

    def _stop_later(self, shell: Shell) -> None:
        task = asyncio.create_task(shell.stop())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- both ----------------------------------------------------------------------------------

    def _refresh(self) -> None:
        """Show the PTY that belongs to the agent's state."""
        wanted: Screen | None = self.agent.screen if self.agent is not None else None
        if lock.shown(self.agent_state) == "shell" and self.shell is not None:
            wanted = self.shell.screen if self._about.lasting or self.agent_state == "paused" else wanted
        if wanted is not None:
            self._display.show(wanted)

    def _end_shown(self, program: AgentProcess | Shell) -> None:
        """The terminal is being closed: the shown program has ended."""
        if program.screen is self._display.shown:
            self._over(program.exit)

    def _over(self, exit: ProcessExit | None) -> None:
        if exit is not None:
            self.ended = Exited(code=exit.code, signal=exit.signal, ended_at=self._clock.now())
            self._listener.over(self.ended)

    def _restarted(self) -> None:
        if self.ended is not None:
            self.ended = None
            self._listener.restarted()
