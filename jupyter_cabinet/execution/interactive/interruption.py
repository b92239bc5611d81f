"""Interrupts the turn of a CLI that stays open: types the interrupting keys until its empty input box is back.

Called by `open_cli.py`. A key is typed only while the screen shows work or a question. If the CLI restores the
instruction in its input box, the text is removed, so that it is never sent a second time.
"""

from __future__ import annotations

from collections.abc import Callable

from ...core.clock import Clock
from ...core.errors import Conflict
from ...runtimes.port import InputState, Interruptible, ReportsWork
from ...terminals.programs.agent import AgentProcess

INTERRUPT_SECONDS = 8.0  # longest wait for the empty input box
AGAIN_SECONDS = 1.0  # opencode 1.18.33 needs its key twice, and a key may come while a CLI draws something else
LOOK_SECONDS = 0.1  # between two readings of the screen
STILL_SECONDS = 0.3  # a screen without an input box for this time shows a question or a menu
NOT_INTERRUPTED = "{} could not be interrupted, so its session was closed. The next instruction resumes it."
LEFT_AT_WORK = "Processes that {} started did not end, so its session was closed. The next instruction resumes it."


class Interruption:
    """One interruption of a CLI. `over`: returns whether the turn has ended, according to the CLI's reports."""

    def __init__(
        self, agent: AgentProcess, conversation: Interruptible, clock: Clock, *, over: Callable[[], bool]
    ) -> None:
        self._agent = agent
        self._conversation = conversation
        self._clock = clock
        self._over = over
        self._typed_at = float("-inf")  # monotonic
        self._shown: InputState | None = None
        self._shown_since = 0.0  # monotonic

    async def carry_out(self) -> str:
        """Interrupt the turn, and end the processes that it started. Return the reason if that failed, else "".

        Waits for the empty input box for at most `INTERRUPT_SECONDS`. It fails if the CLI has ended or is paused.
        """
        if not await self._reaches_empty_input():
            return NOT_INTERRUPTED.format(self._agent.title)
        if isinstance(self._conversation, ReportsWork):
            self._conversation.work_ends()
        if not await self._agent.end_turn():
            return LEFT_AT_WORK.format(self._agent.title)
        return ""

    async def _reaches_empty_input(self) -> bool:
        """Type keys until the turn has ended and the CLI waits with its empty input box. Return whether it does."""
        until = self._clock.monotonic() + INTERRUPT_SECONDS
        try:
            while self._clock.monotonic() < until and not self._is_out_of_reach():
                shown = self._look()
                if shown == "empty" and self._over():
                    return True
                await self._press(shown)
                await self._clock.sleep(LOOK_SECONDS)
        except Conflict:  # the CLI has ended
            return False
        return False

    def _is_out_of_reach(self) -> bool:
        agent = self._agent
        return agent.ended or not agent.at_work or agent.state == "paused" or not agent.screen.is_read

    def _look(self) -> InputState:
        shown = self._conversation.input()
        if shown != self._shown:
            self._shown, self._shown_since = shown, self._clock.monotonic()
        return shown

    async def _press(self, shown: InputState) -> None:
        keys = self._keys(shown, self._conversation.interrupt())
        if not keys or self._clock.monotonic() - self._typed_at < AGAIN_SECONDS or not self._is_meant(shown):
            return
        if await self._agent.type(keys, submit=False, admitted=lambda: self._conversation.input() == shown):
            self._typed_at = self._clock.monotonic()

    def _keys(self, shown: InputState, interrupting: bytes) -> bytes:
        """Return the keys to type.

        An empty input box gets none, because they would open a menu in some CLIs, or end them.
        """
        if shown == "typed":
            return self._conversation.clear()
        return b"" if shown == "empty" or self._over() else interrupting

    def _is_meant(self, shown: InputState) -> bool:
        """Return whether the screen is stable enough to type.

        While a CLI redraws its screen, other text may appear for a moment. Some CLIs are never still.
        """
        if shown == "busy" or self._agent.still_seconds >= STILL_SECONDS:
            return True
        return self._clock.monotonic() - self._shown_since >= AGAIN_SECONDS
