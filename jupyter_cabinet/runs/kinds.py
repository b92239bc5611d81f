"""The port behind which each kind of run says what to ask and what follows, and the kinds that are registered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import msgspec
from sqlalchemy import Connection

from ..core.errors import Invalid
from ..core.json_input import converted
from ..core.people import Principal, Visibility
from ..runtimes.model import Outcome, PermissionMode, RunMode
from ..sessions.model import Session
from ..storage.outbox import Effect
from .model import PERSON, NewRun, Run

DEFAULT_KIND = "manual"
MAX_INSTRUCTION_BYTES = 200_000


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The confirmed settings of a named agent. A request can override the first six."""

    runtime: str | None = None
    model: str | None = None
    permission_mode: PermissionMode | None = None
    allowed_tools: tuple[str, ...] | None = None  # None: what the permission mode allows
    cwd: str | None = None  # relative to the server's root
    max_turns: int | None = None
    agent: str
    own_tools: tuple[str, ...] = ()  # the groups of our tool server's tools that it has: `execution.model.OWN_TOOLS`
    allow_unenforced: bool = False  # settings that the CLI cannot enforce are reported, and do not refuse the run
    parallel: int = 1
    exclusive: bool = False
    priority: int = PERSON
    max_attempts: int = 1
    timeouts: tuple[float, ...] = ()  # seconds of work, of each attempt; the last one counts for all further ones
    owner: str
    visibility: Visibility


class RunSubject(msgspec.Struct, frozen=True, kw_only=True):
    """What a request is about, as its kind finds it."""

    session: Session | None = None  # that it continues; None: a run without a session
    path: str | None = None  # the document, relative to the server's root
    mode: RunMode = "headless"  # where the request names none
    fixed_mode: bool = False  # nothing else will do
    terms: Terms | None = None  # None: it is no run of a named agent
    title: str = ""  # shown for a run that has no instruction
    source: str = ""  # what exactly has asked, where the caller says so
    attached: tuple[str, ...] = ()  # titles of what goes into the prompt with the instruction


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """What a kind wants a runtime to do."""

    prompt: str
    system: str | None = None
    warnings: tuple[str, ...] = ()
    command: tuple[str, ...] = ()  # the program to start, for the runtime `command` alone
    tainted: bool = False  # the prompt contains text of strangers
    chain: tuple[str, ...] = ()  # what led to the content of the prompt, if that is longer than the trigger's own


class Skip(Exception):
    """Raised by `prepare`: what allowed the run when it was queued is gone, for the reason that the text says."""


class RunKind(Protocol):
    """One kind of run. `request` is what it is asked for with: a `NewRun` whose tag is the kind's name."""

    request: type[NewRun]

    async def check(self, new: Any, principal: Principal) -> RunSubject:
        """What is asked for, before it is queued. Raises `Invalid`, `OutsideRoot`, `NotFound`, … for a bad request."""

    def put_begin(self, connection: Connection, run: Run, new: Any) -> None:
        """What else is put on record in the transaction that queues it. What it raises refuses the run. Nothing, where
        a kind does not say."""
        return

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """Called when an attempt starts, never when the run is queued: what it reads must be fresh.

        Raises `Skip`, and what else keeps the run from being started."""

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Called when the work is over, before that is on record: what the person should know of it, in sentences."""

    def put_end(self, connection: Connection, run: Run, outcome: Outcome) -> None:
        """What else is put on record in the transaction of its end. Nothing, where a kind does not say."""
        return

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
