"""An agent CLI in a terminal: its process, its screen, its state.

`runs/` controls it; people reach it through the lock. Made by `Programs.start_agent`. It starts only what it was given,
and interprets nothing it reads.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Literal

from ...core.clock import Clock
from ...core.errors import Conflict, Unavailable
from ...core.people import Person
from ...sandboxes.port import ProcessExit, PtyProcess
from ..frames import AgentStateChanged
from ..input.text import type_text
from ..model import AgentState
from ..screens.screen import Screen

log = logging.getLogger(__name__)

HELD_SECONDS = 2.0  # the limit until every process is stopped
LOOK_AGAIN_SECONDS = 0.02
QUIET_LOOKS = 2  # a child that was born during the first pass is found by the second


class AgentProcess:
    """The process and its operations. Does nothing before `go`.

    `on_changed`: its state has changed, or it was paused or resumed; called last when its processes are gone.
    """

    def __init__(
        self,
        process: PtyProcess,
        screen: Screen,
        *,
        title: str,
        started_by: Person | None,
        clock: Clock,
        on_changed: Callable[[AgentProcess], None],
    ) -> None:
        self.pid = process.pid
        self.started_at = process.started_at
        self.title = title
        self.since = clock.now()
        self.ended_at: datetime | None = None
        self.started_by = started_by
        self.screen = screen
        self.state: AgentState = "running"
        self.reason = ""  # what it waits for, or who paused it
        self.changing = False  # it is being paused: nobody's keys may reach it any more
        self.exit: ProcessExit | None = None
        self._stopping = False  # nothing may pause it any more: it is cleaning up
        self._on_changed = on_changed
        self._clock = clock
        self._process = process
        self._steered_by: Person | None = None  # who paused or resumed it last
        self._stopped_by: Person | None = None
        # the state before the pause, to which it returns
        self._before: tuple[Literal["running", "waiting"], str] = ("running", "")
        self._submit_listeners: list[Callable[[Person], None]] = []
        self._state_listeners: list[Callable[[AgentState, str], None]] = []
        self._typing = asyncio.Lock()
        self._steering = asyncio.Lock()
        self._going = asyncio.Event()  # not paused
        self._going.set()
        self._begun = asyncio.Event()  # it has started, or ended without starting
        self._over: asyncio.Future[ProcessExit] = asyncio.get_running_loop().create_future()
        process.on_exited(lambda: self._enter("ending", ""))
        self._life = asyncio.create_task(self._live(), name=f"agent {process.pid}")

    @property
    def ended(self) -> bool:
        """Whether all its processes are gone."""
        return self._over.done()

    @property
    def at_work(self) -> bool:
        """Whether it is in the terminal: it runs, waits, is paused, or its processes are being ended."""
        return self.state != "stopped"

    def frame(self) -> AgentStateChanged:
        """Return the frame with its state for viewers."""
        over = self.state in ("ending", "stopped")
        return AgentStateChanged(
            state=self.state,
            title=self.title,
            reason=self.reason,
            by=self._stopped_by if over else self._steered_by,
            since=self.since,
            code=self.exit.code if self.exit is not None else None,
            signal=self.exit.signal if self.exit is not None else None,
            ended_at=self.ended_at,
        )

    async def go(self) -> None:
        """Release it to start. Raises `Unavailable` when it cannot be executed; it has then ended. Call it once."""
        try:
            await self._process.go()
        except BaseException:
            await self.stop()
            raise
        self._begun.set()

    def set_state(self, state: Literal["running", "waiting"], reason: str = "") -> None:
        """Set whether it works (nobody may type) or waits for a person. No effect once it ends.

        While it is paused it stays so, and later returns to this state.
        """
        self._before = (state, reason)
        if self.state in ("running", "waiting") and (self.state, self.reason) != (state, reason):
            self._steered_by = None
            self._enter(state, reason)

    async def pause(self, by: Person) -> None:
        """Pause every process of the agent, and return when all of them are stopped.

        A second call has no effect. Raises `Conflict` if the agent has ended or is ending, and `Unavailable` if a
        process does not stop within `HELD_SECONDS`; then all processes continue.
        """
        async with self._steering:
            self._must_live()
            if self.state == "paused":
                return
            await self._begun.wait()
            self._must_live()
            self._change(True)
            try:
                await self._hold()
                self._must_live()
            except BaseException:
                await self._process.signal("CONT")
                raise
            finally:
                self._change(False)
            self._going.clear()
            self._steer("paused", f"Paused by {by.display_name}.", by)

    async def resume(self, by: Person) -> None:
        """Let it continue where it was. A second call has no effect. Raises `Conflict` once it ends."""
        async with self._steering:
            self._must_live()
            if self.state == "paused":
                await self._let_go(*self._before, by)
                await self.nudge()

    def stop_is_by(self, by: Person) -> None:
        """Record who has it stopped, which is reported with its end."""
        self._stopped_by = by

    async def stop(self) -> ProcessExit:
        """End it and everything it started; return its exit when nothing is left and its output is complete.

        A pause that is being made is given up: stopped processes cannot clean up. An agent that has ended does not
        change.
        """
        self._stopping = True
        if self.state == "paused":
            await self._let_go("running", "It is being stopped.", self._stopped_by)
        if not self.ended:
            await self._process.stop()
        return await self.wait()

    async def wait(self) -> ProcessExit:
        """Wait until the agent has ended, no process of it is left, and its last output was read.

        Return its exit.
        """
        return await asyncio.shield(self._over)

    @property
    def still_seconds(self) -> float:
        """The seconds since the agent last wrote to its screen; infinite before its first output."""
        return self.screen.quiet_seconds

    async def type(self, data: bytes, *, submit: bool = True, admitted: Callable[[], bool] | None = None) -> bool:
        """Type for the server, past the soft lock; with `submit`, Enter follows when the program has read the text.

        `admitted` is checked when the bytes leave; the result is False if it says no. Waits while the agent is paused,
        and for an earlier call. Raises `Conflict` when the agent ends in the meantime.
        """
        async with self._typing:
            await self._going.wait()
            taken = await type_text(self.screen, data, submit=submit, admitted=admitted)
        if not taken and (not self.screen.open or self.state in ("ending", "stopped")):
            raise Conflict("The agent has ended.")
        return taken

    async def nudge(self) -> None:
        """Make it redraw its screen."""
        await self.screen.nudge()

    def begin_turn(self) -> None:
        """Mark that the processes which it starts from now on belong to a turn."""
        self._process.begin_turn()

    async def end_turn(self) -> bool:
        """End the processes that it has started since then, confirmed; the agent stays.

        Return False if some cannot be ended.
        """
        return await self._process.end_turn()

    # --- listeners -----------------------------------------------------------------------------

    def subscribe(self, callback: Callable[[bytes], None]) -> Callable[[], None]:
        """Pass every byte of the screen to `callback` as it comes; the returned function ends that."""
        return self.screen.subscribe(callback)

    def on_submit(self, callback: Callable[[Person], None]) -> Callable[[], None]:
        """Call back when a person submits a line while the agent waits; the returned function ends that."""
        self._submit_listeners.append(callback)
        return lambda: self._submit_listeners.remove(callback)

    def on_state(self, callback: Callable[[AgentState, str], None]) -> None:
        """Call back with each new state and its reason, until the agent is gone."""
        self._state_listeners.append(callback)

    def submitted(self, by: Person) -> None:
        """Report to listeners, while the agent waits, that a person has pressed Enter."""
        if self.state == "waiting":
            for callback in list(self._submit_listeners):
                callback(by)

    # --- inside --------------------------------------------------------------------------------

    def _must_live(self) -> None:
        if self.ended or self._stopping or self.state in ("ending", "stopped"):
            raise Conflict("The agent has ended.", reason="exited")

    async def _hold(self) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + HELD_SECONDS
        quiet_looks = 0
        while quiet_looks < QUIET_LOOKS and not self._stopping and self.state not in ("ending", "stopped"):
            await self._process.signal("STOP")
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
            quiet_looks = 0 if await self._process.moving() else quiet_looks + 1
            if quiet_looks == 0 and loop.time() > until:
                raise Unavailable("The agent could not be paused: some of its processes do not stop. It continues.")

    async def _let_go(self, state: Literal["running", "waiting"], reason: str, by: Person | None) -> None:
        await self._process.signal("CONT")
        self._going.set()
        self._steer(state, reason, by)

    def _steer(self, state: AgentState, reason: str, by: Person | None) -> None:
        if self.state not in ("ending", "stopped"):
            self._steered_by = by
            self._enter(state, reason)

    def _change(self, changing: bool) -> None:
        self.changing = changing
        self._on_changed(self)

    def _enter(self, state: AgentState, reason: str) -> None:
        self.state, self.reason = state, reason
        if state in ("ending", "stopped"):
            self._going.set()
            self._begun.set()
        self._on_changed(self)
        for callback in list(self._state_listeners):
            callback(state, reason)

    async def _live(self) -> None:
        ended = ProcessExit(killed=True)
        try:
            ended = await self._process.wait()
            await self.screen.finish()
        except Exception:
            log.exception("Cleaning up after an agent failed")
        finally:
            self.exit, self.ended_at = ended, self._clock.now()
            self._process.close()
            self._enter("stopped", "")
            if not self._over.done():
                self._over.set_result(ended)
