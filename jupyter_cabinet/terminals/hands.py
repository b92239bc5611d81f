"""What gets into a terminal's programs: people's keys, texts typed for them, an emulator's answers.

Made by `terminal.py`, called by its connections and by `web/`. Whether somebody may is `gate.py`'s to say.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..core.clock import Clock
from ..core.errors import CabinetError, Conflict, Invalid, NotAllowed, NotYourTurn
from ..core.people import Person
from . import lock
from .audience import Audience
from .desk import TurnDesk
from .gate import Gate
from .orders import TypedInput
from .stage import Stage
from .typist import type_into
from .viewer import MAX_FRAME_BYTES

if TYPE_CHECKING:
    from .connection import Connection

TAKEN_SECONDS = 10.0  # a program that does not read so long gets nothing more

SENTENCES: dict[lock.Refusal, str] = {
    "agent_running": "An agent is running in this terminal. Pause it, or wait for its answer.",
    "ending": "The agent has ended, and what it started is being ended. Try again in a moment.",
    "exited": "The program in this terminal has ended.",
    "busy": "The program in this terminal does not read what was typed before.",
}


class Hands:
    """Everything that is typed goes through here."""

    def __init__(self, *, gate: Gate, desk: TurnDesk, stage: Stage, audience: Audience, clock: Clock) -> None:
        self.last_typist: Person | None = None
        self.last_key = clock.monotonic()
        self._gate = gate
        self._desk = desk
        self._stage = stage
        self._audience = audience
        self._clock = clock

    def type(self, connection: Connection, data: bytes) -> bool:
        """Queue the keys of a person who may type now; False when too much is queued already."""
        screen = self._stage.keyboard
        assert screen is not None
        admitted, epoch = self._gate.admission(connection.person), self._desk.turn.epoch

        def tell_dropped() -> None:
            moved = self._desk.turn.epoch != epoch
            connection.reject(connection.refusal() or ("not_controller" if moved else "busy"))

        self._audience.primary = connection
        self._note(connection.person)
        return screen.keyboard.put(data, admitted=lambda: admitted() and connection.can_execute, dropped=tell_dropped)

    def submitted(self, person: Person) -> None:
        """An Enter was among them."""
        if self._stage.agent is not None:
            self._stage.agent.submitted(person)

    async def type_for(self, person: Person, wanted: TypedInput) -> None:
        """Type a text for somebody, by the rules of keys; returns when the program has it.

        Raises `NotYourTurn`, or `Conflict` with the lock's `reason` in the detail.
        """
        data = wanted.text.encode(errors="replace")
        if len(data) > MAX_FRAME_BYTES:
            raise Invalid("The text is longer than 1 MiB.", field="text")
        self._must_pass(person)
        if not await self._typed_in_time(person, data, wanted.submit):
            self._must_pass(person)
            raise refused("busy")
        self._note(person)
        if wanted.submit:
            self.submitted(person)

    def reply(self, connection: Connection, data: bytes) -> None:
        """An emulator's automatic answer: from the primary alone, to a question that was asked, else dropped."""
        screen, agent = self._stage.screen, self._stage.agent
        if connection is not self._audience.primary or screen is None:
            return
        held = agent is not None and agent.state == "paused" and screen is agent.screen
        if not held and screen.queries.accept(data):
            screen.keyboard.answer(data)

    def _must_pass(self, person: Person) -> None:
        reason = self._gate.refusal(person, can_execute=True)
        if reason is not None:
            raise refused(reason)

    async def _typed_in_time(self, person: Person, data: bytes, submit: bool) -> bool:
        screen = self._stage.keyboard
        assert screen is not None
        if not screen.keyboard.has_room(len(data)):
            return False
        admitted, in_time = self._gate.admission(person), True
        typing = type_into(screen, data, submit=submit, admitted=lambda: in_time and admitted())
        try:
            return await asyncio.wait_for(typing, TAKEN_SECONDS)
        except TimeoutError:
            in_time = False
            screen.keyboard.recheck()  # what is left of it is dropped
            return False

    def _note(self, person: Person) -> None:
        self.last_typist = person
        self.last_key = self._clock.monotonic()
        self._desk.typed()


def refused(reason: lock.Refusal) -> CabinetError:
    """A refusal as an error, with a sentence."""
    if reason == "not_controller":
        return NotYourTurn()
    if reason == "read_only":
        return NotAllowed("You may watch this terminal, not type in it.")
    return Conflict(SENTENCES[reason], reason=reason)
