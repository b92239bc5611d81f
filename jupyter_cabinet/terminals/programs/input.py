"""The input of a terminal's programs: people's keys, texts typed for them, an emulator's answers.

Made by `terminal.py`, called by its connections, by `web/` and `runs/`. The gate decides who may type.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ...core.clock import Clock
from ...core.errors import CabinetError, Conflict, Invalid, NotAllowed, NotYourTurn
from ...core.people import Person
from ...sandboxes.port import SignalName
from ..input.text import type_text
from ..model import TypedInput
from ..screens.display import Display
from ..turns.control import TurnControl
from ..turns.gate import InputGate
from ..turns.lock import Refusal
from .programs import Programs

MAX_TEXT_BYTES = 1 << 20
TAKEN_SECONDS = 10.0  # a program that does not read for so long gets nothing more

SENTENCES: dict[Refusal, str] = {
    "agent_running": "An agent is running in this terminal. Pause it, or wait for its answer.",
    "ending": "The agent has ended, and its processes are being ended. Try again in a moment.",
    "exited": "The program in this terminal has ended.",
    "busy": "The program in this terminal has not read the earlier input yet. Wait until it does, or press Ctrl-C.",
}


class ProgramInput:
    """Everything that people type goes through here.

    `last_typist`: the last person whose input was accepted. `last_key`: when, in the clock's monotonic seconds.
    """

    def __init__(
        self, *, gate: InputGate, control: TurnControl, programs: Programs, display: Display, clock: Clock
    ) -> None:
        self.last_typist: Person | None = None
        self.last_key = clock.monotonic()
        self._gate = gate
        self._control = control
        self._programs = programs
        self._display = display
        self._clock = clock

    def type(
        self, person: Person, data: bytes, *, can_execute: Callable[[], bool], rejected: Callable[[Refusal], None]
    ) -> bool:
        """Queue the keys of a person who may type now. The caller has checked that, and that a program takes keys.

        Return False if too much is queued already; then none is kept. `can_execute` is checked again when they leave.
        `rejected` is called with the reason if they are dropped after all.
        """
        screen = self._programs.keyboard
        assert screen is not None
        admitted, epoch = self._gate.admission(person), self._control.turn.epoch

        def tell_dropped() -> None:
            moved = self._control.turn.epoch != epoch
            refusal = self._gate.refusal(person, can_execute=can_execute())
            rejected(refusal or ("not_controller" if moved else "busy"))

        self._note(person)
        return screen.input.put(data, admitted=lambda: admitted() and can_execute(), dropped=tell_dropped)

    def submitted(self, person: Person) -> None:
        """Report to a waiting agent, if there is one, that the keys of `person` contained an Enter."""
        if self._programs.agent is not None:
            self._programs.agent.submitted(person)

    async def type_for(self, person: Person, wanted: TypedInput) -> None:
        """Type a text for somebody who need not be connected, under the same rules as keys, except the right to
        execute.

        Returns when the program has it. Raises `NotYourTurn`, `Invalid` for more than 1 MiB, or `Conflict` with the
        lock's `reason` in the detail: also `busy`, if the program does not read it within 10 seconds.
        """
        data = wanted.text.encode(errors="replace")
        if len(data) > MAX_TEXT_BYTES:
            raise Invalid("The text is longer than 1 MiB.", field="text")
        self._must_pass(person)
        if not await self._typed_in_time(person, data, wanted.submit):
            self._must_pass(person)
            raise refused("busy")
        self._note(person)
        if wanted.submit:
            self.submitted(person)

    def reply(self, data: bytes) -> None:
        """Pass on an answer of the primary viewer's emulator.

        An answer without a query is dropped, and so are all answers while an agent is paused.
        """
        screen, agent = self._display.shown, self._programs.agent
        if screen is None:
            return
        held = agent is not None and agent.state == "paused" and screen is agent.screen
        if not held and screen.queries.accept(data):
            screen.input.answer(data)

    def interrupt(self, name: SignalName) -> None:
        """Signal the foreground processes of the PTY that has the keyboard.

        Nothing happens if none has it. Nobody is checked.
        """
        if self._programs.keyboard is not None:
            self._programs.keyboard.pty.interrupt(name)

    def _must_pass(self, person: Person) -> None:
        reason = self._gate.refusal(person, can_execute=True)
        if reason is not None:
            raise refused(reason)

    async def _typed_in_time(self, person: Person, data: bytes, submit: bool) -> bool:
        screen = self._programs.keyboard
        assert screen is not None
        if not screen.input.has_room(len(data)):
            return False
        admitted, in_time = self._gate.admission(person), True
        typing = type_text(screen, data, submit=submit, admitted=lambda: in_time and admitted())
        try:
            return await asyncio.wait_for(typing, TAKEN_SECONDS)
        except TimeoutError:
            in_time = False
            screen.input.recheck()  # the rest of it is dropped
            return False

    def _note(self, person: Person) -> None:
        self.last_typist = person
        self.last_key = self._clock.monotonic()
        self._control.typed()


def refused(reason: Refusal) -> CabinetError:
    """Return the error for a refusal: `NotYourTurn`, `NotAllowed` or `Conflict`, with its sentence.

    It is not raised.
    """
    if reason == "not_controller":
        return NotYourTurn()
    if reason == "read_only":
        return NotAllowed("You may watch this terminal, not type in it.")
    return Conflict(SENTENCES[reason], reason=reason)
