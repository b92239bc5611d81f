"""A text that is typed for somebody over the API: by the rules of keys, with a sentence where they refuse it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..core.errors import CabinetError, Conflict, Invalid, NotAllowed, NotYourTurn
from ..core.people import Person
from . import lock
from .orders import TypedInput
from .typist import type_into
from .viewer import MAX_FRAME_BYTES

if TYPE_CHECKING:
    from .terminal import OpenTerminal

TAKEN_SECONDS = 10.0  # a program that does not read so long gets nothing more

SENTENCES: dict[lock.Refusal, str] = {
    "agent_running": "An agent is running in this terminal. Pause it, or wait for its answer.",
    "ending": "The agent has ended, and what it started is being ended. Try again in a moment.",
    "exited": "The program in this terminal has ended.",
    "busy": "The program in this terminal does not read what was typed before.",
}


def refused(reason: lock.Refusal) -> CabinetError:
    """A refusal as an error: `reason` is in the detail of those that pass with time."""
    if reason == "not_controller":
        return NotYourTurn()
    if reason == "read_only":
        return NotAllowed("You may watch this terminal, not type in it.")
    return Conflict(SENTENCES[reason], reason=reason)


async def type_for(terminal: OpenTerminal, person: Person, wanted: TypedInput) -> None:
    """Returns when the program has it. Raises `NotYourTurn`, or `Conflict` with the lock's `reason`."""
    data = wanted.text.encode(errors="replace")
    if len(data) > MAX_FRAME_BYTES:
        raise Invalid("The text is longer than 1 MiB.", field="text")
    reason = terminal.gate.refusal(person, can_execute=True)
    if reason is not None:
        raise refused(reason)
    screen = terminal.keyboard
    assert screen is not None
    if not screen.keyboard.has_room(len(data)):
        raise refused("busy")
    admitted = terminal.gate.admission(person)
    in_time = True
    typing = type_into(screen, data, submit=wanted.submit, admitted=lambda: in_time and admitted())
    try:
        taken = await asyncio.wait_for(typing, TAKEN_SECONDS)
    except TimeoutError:
        taken = in_time = False
        screen.keyboard.recheck()
    if not taken:
        raise refused(terminal.gate.refusal(person, can_execute=True) or "busy")
    terminal.has_typed(person)
    if wanted.submit:
        terminal.submitted(person)
