"""Types an instruction into an open CLI, only while the screen shows its empty input box.

Called by `open_cli.py`. An open dialog or a person's text in the input box delays the instruction. The person who waits
for it sees the reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ...core.clock import Clock
from ...core.errors import Conflict, NotAllowed
from ...runtimes.port import InputState, ScreenReader
from ...terminals.programs.agent import AgentProcess
from ..model import MADE_PRIVATE

# No reason is shown before this time: a CLI that has just answered draws its input box a little later.
PATIENCE_SECONDS = 2.0
LOOK_SECONDS = 0.25
# Before Enter: a paste is drawn in pieces, and Gemini CLI 0.61.0 treats an Enter that comes with it as a new line.
STILL_SECONDS = 0.1
# After Enter: a temporary state of the screen, such as an empty box, does not prove that the CLI has the text.
TAKEN_SECONDS = 1.5  # until the text has left the input box for good; before that, it may come back
REFUSED_SECONDS = 0.5  # after this time, in a newly drawn screen, the Enter has become a new line
MOST_ENTERS = 4
ENTER_AT_LAST_SECONDS = 1.0  # some programs are never still

# Called with the reason why the instruction waits, and with an empty text once it no longer waits.
Tell = Callable[[str], None]

_REASONS: dict[InputState, str] = {
    "other": "{} shows a question or a menu in its terminal. Answer it there. Your instruction follows.",
    "typed": "The input box of {} contains text. Send or delete it in the terminal. Your instruction follows.",
    "busy": "{} is still working on something else. Your instruction follows.",
}
_UNSENT = "The instruction could not be sent to {}. Open its terminal, answer what it asks, then press Enter."


class GivenUp(Exception):
    """The instruction is no longer wanted."""


class InstructionTyping:
    """Types the instructions of one CLI. `heard`: returns whether the CLI has reported the current instruction."""

    def __init__(
        self, agent: AgentProcess, conversation: ScreenReader, heard: Callable[[], bool], clock: Clock
    ) -> None:
        self._agent = agent
        self._conversation = conversation
        self._heard = heard
        self._clock = clock
        self._news = asyncio.Event()
        self._told = ""
        self._given_up = False
        self._putting = False  # an instruction is being typed
        self._unsent = False  # and no part of it has reached the CLI
        self._typed_at = 0.0  # monotonic

    @property
    def unsent(self) -> bool:
        """Return whether an instruction waits of which no part has reached the CLI."""
        return self._unsent

    def give_up(self) -> None:
        """Stop typing the current instruction, if there is one: its `put` raises `GivenUp`.

        What was typed is not removed.
        """
        self._given_up = self._putting
        self._news.set()

    def news(self) -> None:
        """Note that the CLI has sent something, so that the screen is checked again."""
        self._news.set()

    async def until_empty(self, tell: Tell) -> None:
        """Wait, without a limit, until the cursor is in the CLI's empty input box.

        `tell` receives the reason if that takes long, and an empty text afterwards. Raises `Conflict` if the CLI has
        ended; inside of `put` also `GivenUp`.
        """
        try:
            await self._until("empty", tell, lambda: _REASONS.get(self._conversation.input(), ""))
        finally:
            self._told = ""

    async def put(self, prompt: str, tell: Tell, may_type: Callable[[], bool]) -> None:
        """Type the instruction and press Enter, once the input box is empty; waits for that without a limit.

        Returns when the CLI has taken it, or after `MOST_ENTERS` attempts. Raises `Conflict` if the CLI has ended,
        `GivenUp` after `give_up`, and `NotAllowed` if `may_type` says no before anything is typed.
        """
        self._putting, self._unsent = True, True
        try:
            await self._put(prompt, tell, may_type)
        finally:
            self._putting = self._unsent = self._given_up = False

    async def _put(self, prompt: str, tell: Tell, may_type: Callable[[], bool]) -> None:
        while True:
            await self.until_empty(tell)
            if not may_type():
                raise NotAllowed(MADE_PRIVATE)
            data = self._conversation.send(prompt)
            self._unsent = False
            if await self._type(data, "empty", may_type):
                break
        self._typed_at = self._clock.monotonic()
        for _ in range(MOST_ENTERS):
            await self._until("typed", tell, lambda: _UNSENT)
            if self._heard() or (await self._type(b"\r", "typed", lambda: True) and await self._is_taken()):
                break
        self._tell(tell, "")

    async def _is_taken(self) -> bool:
        """Return whether the CLI has taken the text.

        False: the text is still in the input box, although Enter was pressed.
        """
        entered_at = self._clock.monotonic()
        while not (self._heard() or self._given_up or self._agent.ended):
            waited, shown = self._clock.monotonic() - entered_at, self._conversation.input()
            if shown == "busy" or (shown != "typed" and waited >= TAKEN_SECONDS):
                return True
            if shown == "typed" and self._is_refused(waited):
                return False
            await self._news_within(LOOK_SECONDS)
        return True

    def _is_refused(self, waited: float) -> bool:
        """Return whether the text is still in the input box `waited` seconds after Enter, although the screen was
        redrawn.

        A CLI that has drawn nothing since may not have read the Enter yet: two Enters that reach Gemini CLI 0.61.0
        together send the text twice.
        """
        still = self._agent.still_seconds
        return still < waited and (still >= REFUSED_SECONDS or waited >= TAKEN_SECONDS)

    async def _news_within(self, seconds: float) -> None:
        self._news.clear()
        timer = self._clock.call_at(self._clock.monotonic() + seconds, self._news.set)
        try:
            await self._news.wait()
        finally:
            timer.cancel()

    async def _type(self, data: bytes, state: InputState, may_type: Callable[[], bool]) -> bool:
        return await self._agent.type(data, submit=False, admitted=lambda: may_type() and self._shows(state))

    def _shows(self, state: InputState) -> bool:
        if self._conversation.input() != state:
            return False
        waited = self._clock.monotonic() - self._typed_at
        return state == "empty" or self._agent.still_seconds >= STILL_SECONDS or waited >= ENTER_AT_LAST_SECONDS

    async def _until(self, state: InputState, tell: Tell, reason: Callable[[], str]) -> None:
        patient_until = self._clock.monotonic() + PATIENCE_SECONDS
        while self._given_up or (not self._shows(state) and not (state == "typed" and self._heard())):
            if self._agent.ended or not self._agent.at_work:
                raise Conflict("The agent has ended.")
            if self._given_up:
                raise GivenUp
            if self._clock.monotonic() >= patient_until:
                self._tell(tell, reason().format(self._agent.title))
            await self._news_within(self._pause(state))
        if state == "empty":
            self._tell(tell, "")

    def _pause(self, state: InputState) -> float:
        return STILL_SECONDS if self._conversation.input() == state else LOOK_SECONDS

    def _tell(self, tell: Tell, reason: str) -> None:
        if reason != self._told:
            self._told = reason
            tell(reason)
