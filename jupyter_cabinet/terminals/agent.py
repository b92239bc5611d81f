"""An agent CLI in a terminal: its PTY, its launcher, its state. `runs/` steers it; people meet it through the lock.

Made by `OpenTerminal.start_agent`. It starts nothing but what it was given, and it judges nothing it reads.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from ..core.errors import Conflict
from ..core.people import Person
from ..sandboxes.control import Control
from ..sandboxes.port import ProcessExit
from .model import AgentState
from .pty import terminal_environment
from .screen import Screen

if TYPE_CHECKING:
    from .terminal import OpenTerminal

log = logging.getLogger(__name__)

# A text and the Enter after it in one write may be taken for one paste.
ENTER_AFTER_SECONDS = 0.05
ENTER_AT_LAST_SECONDS = 1.0  # a spinner is never quiet


class AgentProcess:
    """The process and what may be done with it. Does nothing before `go`."""

    def __init__(
        self,
        terminal: OpenTerminal,
        control: Control,
        screen: Screen,
        *,
        argv: Sequence[str],
        cwd: str,
        environment: Mapping[str, str],
        title: str,
    ) -> None:
        self.pid = control.pid
        self.started_at = control.started_at
        self.title = title
        self.screen = screen
        self.state: AgentState = "running"
        self._terminal = terminal
        self._control = control
        self._order = (tuple(argv), cwd, terminal_environment(environment))
        self._submit_listeners: list[Callable[[Person], None]] = []
        self._typing = asyncio.Lock()
        self._over: asyncio.Future[ProcessExit] = asyncio.get_running_loop().create_future()
        control.on_exited(lambda: self._enter("ending", ""))
        self._life = asyncio.create_task(self._live(), name=f"agent {control.pid}")

    @property
    def ended(self) -> bool:
        """Nothing of it is left."""
        return self._over.done()

    async def go(self) -> None:
        """Let it start. Raises `Unavailable` when it cannot be executed; it has ended then."""
        argv, cwd, environment = self._order
        try:
            await self._control.go(argv, cwd=cwd, environment=environment)
        except BaseException:
            await self.stop()
            raise

    def set_state(self, state: Literal["running", "waiting"], reason: str = "") -> None:
        """Say whether it works (nobody may type) or waits for a person. Without effect once it ends."""
        if self.state in ("running", "waiting"):
            self._enter(state, reason)

    async def type(self, data: bytes, *, submit: bool = True) -> None:
        """Type for the server, past the soft lock; Enter follows when the program has taken in the text.

        Raises `Conflict` when the agent ends meanwhile.
        """
        async with self._typing:
            taken = await self.screen.keyboard.type(data)
            if taken and submit:
                await self._until_quiet()
                taken = await self.screen.keyboard.type(b"\r")
        if not taken:
            raise Conflict("The agent has ended.")

    def subscribe(self, callback: Callable[[bytes], None]) -> Callable[[], None]:
        """Hand every byte of the screen to `callback` as it comes; the returned function ends that."""
        return self.screen.subscribe(callback)

    def on_submit(self, callback: Callable[[Person], None]) -> Callable[[], None]:
        """Call back when a person submits a line while the agent waits; the returned function ends that."""
        self._submit_listeners.append(callback)
        return lambda: self._submit_listeners.remove(callback)

    async def nudge(self) -> None:
        """Have it draw its screen anew."""
        await self.screen.nudge()

    async def stop(self) -> ProcessExit:
        """End it and everything it started; returns when nothing is left and its output is complete."""
        if not self.ended:
            await self._control.stop()
        return await self.wait()

    async def wait(self) -> ProcessExit:
        """Wait until it has ended, nothing of it is left, and its last output was taken in."""
        return await asyncio.shield(self._over)

    def submitted(self, by: Person) -> None:
        if self.state == "waiting":
            for callback in list(self._submit_listeners):
                callback(by)

    def _enter(self, state: AgentState, reason: str) -> None:
        self.state = state
        self._terminal.agent_changed(self, reason)

    async def _until_quiet(self) -> None:
        loop = asyncio.get_running_loop()
        written_at = loop.time()
        while True:
            now = loop.time()
            quiet_since = max(written_at, self.screen.last_output)
            if now - quiet_since >= ENTER_AFTER_SECONDS or now - written_at >= ENTER_AT_LAST_SECONDS:
                return
            await asyncio.sleep(quiet_since + ENTER_AFTER_SECONDS - now)

    async def _live(self) -> None:
        ended = ProcessExit(killed=True)
        try:
            ended = await self._control.wait()
            await self.screen.finish()
            self._enter("stopped", "")
            self._terminal.agent_over(self, ended)
        except Exception:
            log.exception("An agent's end failed")
        finally:
            self._control.close()
            if not self._over.done():
                self._over.set_result(ended)
