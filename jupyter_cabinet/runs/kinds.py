"""The port behind which each kind of run says what to ask and what follows. Registered by `app.py`."""

from __future__ import annotations

from typing import Protocol

import msgspec

from ..core.errors import Invalid
from ..core.people import Principal
from ..runtimes.model import Outcome
from .model import NewRun, Run


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """What a kind wants a runtime to do."""

    prompt: str
    system: str | None = None
    warnings: tuple[str, ...] = ()


class RunKind(Protocol):
    """One kind of run."""

    async def check(self, new: NewRun, principal: Principal) -> NewRun:
        """Refuse a bad request (`Invalid`, `OutsideRoot`, …) or complete it, before it is queued."""

    async def prepare(self, run: Run, new: NewRun) -> Prepared:
        """Called when the run starts, never when it is queued: what it reads must be fresh."""

    async def look_back(self, run: Run, new: NewRun) -> tuple[str, ...]:
        """Called when the work is over, before that is on record: what the person should know of it, in sentences."""

    async def settle(self, run: Run, outcome: Outcome) -> None:
        """Called once after the final state is on record. Must be repeatable: a crash may come between."""


MAX_INSTRUCTION_BYTES = 200_000


def check_instruction(text: str) -> None:
    if not text.strip():
        raise Invalid("The instruction is empty. Write what the agent should do.", field="instruction")
    if len(text.encode(errors="replace")) > MAX_INSTRUCTION_BYTES:
        raise Invalid(
            "The instruction is longer than 200 kB. Put the text into a file and mention it.",
            field="instruction",
        )


class Manual:
    """A bare instruction, without a document."""

    async def check(self, new: NewRun, principal: Principal) -> NewRun:
        opens_only = new.terminal_id is not None or new.command is not None
        if new.instruction.strip() or not opens_only:
            check_instruction(new.instruction)
        return new

    async def prepare(self, run: Run, new: NewRun) -> Prepared:
        return Prepared(prompt=new.instruction)

    async def look_back(self, run: Run, new: NewRun) -> tuple[str, ...]:
        return ()

    async def settle(self, run: Run, outcome: Outcome) -> None:
        """Nothing follows from it."""
