"""The port behind which each kind of run says what to ask and what follows, and the kinds that are registered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import msgspec

from ..core.errors import Invalid
from ..core.json_input import converted
from ..core.people import Principal
from ..runtimes.model import Outcome, RunMode
from ..sessions.model import Session
from ..storage.outbox import Effect
from .model import NewRun, Run

DEFAULT_KIND = "manual"
MAX_INSTRUCTION_BYTES = 200_000


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """What a request is about, as its kind finds it."""

    session: Session | None = None  # that it goes on with; None: it has none
    path: str | None = None  # the document, relative to the server's root
    mode: RunMode = "headless"  # where the request names none
    fixed_mode: bool = False  # nothing else will do


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """What a kind wants a runtime to do."""

    prompt: str
    system: str | None = None
    warnings: tuple[str, ...] = ()
    command: tuple[str, ...] = ()  # the program to start, for the runtime `command` alone


class RunKind(Protocol):
    """One kind of run. `request` is what it is asked for with: a `NewRun` whose tag is the kind's name."""

    request: type[NewRun]

    async def check(self, new: Any, principal: Principal) -> Goal:
        """What is asked for, before it is queued. Raises `Invalid`, `OutsideRoot`, `NotFound`, … for a bad request."""

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """Called when the run starts, never when it is queued: what it reads must be fresh."""

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Called when the work is over, before that is on record: what the person should know of it, in sentences."""

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """What follows from a run that has ended, put on record with its end. Touches nothing."""


class RunKinds:
    """The kinds by name."""

    def __init__(self, *kinds: RunKind) -> None:
        self._kinds = {name_of(kind.request): kind for kind in kinds}

    def of(self, name: str) -> RunKind:
        """Raises `Invalid` for one that is not registered."""
        if name not in self._kinds:
            raise Invalid(f"There is no kind of run named {name}.", field="kind")
        return self._kinds[name]

    def __contains__(self, name: str) -> bool:
        return name in self._kinds

    def convert(self, body: object) -> NewRun:
        """A request that has come as JSON. Raises `Invalid` with the field, as for every body."""
        name = body.get("kind", DEFAULT_KIND) if isinstance(body, dict) else DEFAULT_KIND
        kind = self.of(name) if isinstance(name, str) else self.of(DEFAULT_KIND)
        return converted(body, kind.request)

    def read(self, request: str) -> NewRun | None:
        """A request that is on record; None for what is none of a registered kind."""
        try:
            return self.convert(msgspec.json.decode(request))
        except (Invalid, msgspec.DecodeError, UnicodeError, RecursionError, TypeError):
            return None


def name_of(request: type[NewRun]) -> str:
    """The name of the kind with this request."""
    return str(request.__struct_config__.tag)


def check_instruction(text: str) -> None:
    """Raises `Invalid` for one that is empty or too long."""
    if not text.strip():
        raise Invalid("The instruction is empty. Write what the agent should do.", field="instruction")
    if len(text.encode(errors="replace")) > MAX_INSTRUCTION_BYTES:
        raise Invalid(
            "The instruction is longer than 200 kB. Put the text into a file and mention it.",
            field="instruction",
        )
