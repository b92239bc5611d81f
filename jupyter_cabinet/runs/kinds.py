"""The port that each kind of run implements (its checks, its prompt, its effects), and the registry of kinds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import msgspec
from sqlalchemy import Connection

from ..core.errors import Invalid
from ..core.json_input import converted
from ..core.people import Principal, Visibility
from ..runners.port import RunnerName
from ..runtimes.model import Outcome, PermissionMode, RunMode
from ..sessions.model import Session
from ..storage.outbox import Effect
from .model import PERSON, NewRun, Run

DEFAULT_KIND = "manual"
MAX_INSTRUCTION_BYTES = 200_000


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """The confirmed settings of a named agent. A request can override the first seven."""

    runtime: str | None = None
    model: str | None = None
    permission_mode: PermissionMode | None = None
    allowed_tools: tuple[str, ...] | None = None  # None: the tools that the permission mode allows
    cwd: str | None = None  # relative to the server's root
    max_turns: int | None = None
    runner: RunnerName | None = None  # where its runs start; None: as the server's setting says
    image: str | None = None  # of containers in which its runs work; None: the server's
    isolate: bool = False  # its runs work in a sandbox or not at all
    agent: str
    own_tools: tuple[str, ...] = ()  # the groups of Cabinet's tools that it has: `prompts/tool_list.py`
    allow_unenforced: bool = False  # settings that the CLI cannot enforce lead to a warning, and do not refuse the run
    network: tuple[str, ...] = ()  # in a sandbox: hosts beyond its model service, "packages" or "open"
    parallel: int = 1
    exclusive: bool = False
    priority: int = PERSON
    max_attempts: int = 1
    timeouts: tuple[float, ...] = ()  # seconds of work, for each attempt; the last one counts for all further ones
    owner: str
    visibility: Visibility


class RunSubject(msgspec.Struct, frozen=True, kw_only=True):
    """The subject of a request, as returned by `RunKind.check`: its session, document, agent and defaults."""

    session: Session | None = None  # the session to continue; None: the run continues none
    path: str | None = None  # the document, relative to the server's root
    mode: RunMode = "headless"  # if the request names none
    fixed_mode: bool = False  # the run needs `mode`, whatever the request names
    terms: Terms | None = None  # None: the run belongs to no named agent
    title: str = ""  # shown for a run that has no instruction
    source: str = ""  # what exactly requested it, for the trigger; empty: not specified
    attached: tuple[str, ...] = ()  # titles of the attachments that go into the prompt
    own_tools: tuple[str, ...] = ()  # groups of Cabinet's tools, besides those of its agent
    plan_id: str | None = None
    step_id: str | None = None


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """The input of one attempt that a kind has prepared for the runtime."""

    prompt: str
    system: str | None = None
    warnings: tuple[str, ...] = ()
    command: tuple[str, ...] = ()  # the program and its arguments, only for the runtime `command`
    equipped: bool = True  # whether it gets the skills and the tool servers of its agent
    tainted: bool = False  # the prompt contains text from untrusted sources
    chain: tuple[str, ...] = ()  # what led to the content of the prompt; replaces a shorter chain of the trigger


class Skip(Exception):
    """Raised by `prepare`: the run is no longer allowed to start. The text is the reason, for people."""


class RunKind(Protocol):
    """One kind of run. `request` is the type of its requests: a `NewRun` whose tag is the kind's name."""

    request: type[NewRun]
    by_request: bool = True  # whether `POST runs` accepts it; else only the package that owns the kind requests it

    async def check(self, new: Any, principal: Principal) -> RunSubject:
        """Check a request before it is queued, and return its subject. Stores nothing.

        Raises `Invalid`, `OutsideRoot`, `NotFound` and other errors, which refuse the request.
        """

    def put_begin(self, connection: Connection, run: Run, new: Any) -> None:
        """Write additional records in the transaction that queues the run. By default, write nothing.

        An exception from here refuses the run.
        """
        return

    async def prepare(self, run: Run, new: Any) -> Prepared:
        """Build the input of an attempt.

        Called when the attempt starts, not when the run is queued: it must read fresh data. Raises `Skip` if the run is
        no longer allowed: it becomes `skipped`. Any other error makes the run `failed`; the message of a `CabinetError`
        becomes its reason.
        """

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Return warnings for the person, as sentences. Called after the work is over and before the end is stored.

        An exception is logged, and the run has no such warnings.
        """

    def put_end(self, connection: Connection, run: Run, outcome: Outcome) -> None:
        """Write additional records in the transaction that stores the end of the run. By default, write nothing.

        Also called for skipped runs and for runs of a server that died, with an empty outcome. It must not raise:
        storing the end is tried again until it succeeds.
        """
        return

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Return the effects of a run that has ended. They are stored with its end and executed later.

        Has no side effects. Also called for skipped runs and for runs of a server that died, with an empty outcome. It
        must not raise: storing the end is tried again until it succeeds.
        """


class RunKinds:
    """The registered kinds, by name."""

    def __init__(self, *kinds: RunKind) -> None:
        self._kinds = {name_of(kind.request): kind for kind in kinds}

    def of(self, name: str) -> RunKind:
        """Return the kind of this name. Raises `Invalid` if none is registered."""
        if name not in self._kinds:
            raise Invalid(f"There is no kind of run named {name}.", field="kind")
        return self._kinds[name]

    def __contains__(self, name: str) -> bool:
        return name in self._kinds

    def convert(self, body: object) -> NewRun:
        """Convert the decoded JSON body of a request. Without `kind`, it is a manual run.

        Raises `Invalid` with the name of the field, also for an unknown kind and for one that only Cabinet itself
        starts.
        """
        kind = self._kind_of(body)
        if not kind.by_request:
            raise Invalid("Runs of this kind are only started by Cabinet itself.", field="kind")
        return converted(body, kind.request)

    def _kind_of(self, body: object) -> RunKind:
        name = body.get("kind", DEFAULT_KIND) if isinstance(body, dict) else DEFAULT_KIND
        return self.of(name) if isinstance(name, str) else self.of(DEFAULT_KIND)

    def read(self, request: str) -> NewRun | None:
        """Decode a stored request. Return None if it is damaged or of a kind that is not registered."""
        try:
            body = msgspec.json.decode(request)
            return converted(body, self._kind_of(body).request)
        except (Invalid, msgspec.DecodeError, UnicodeError, RecursionError, TypeError):
            return None


def name_of(request: type[NewRun]) -> str:
    """Return the name of the kind that has this type of request."""
    return str(request.__struct_config__.tag)


def check_instruction(text: str) -> None:
    """Raise `Invalid` if the instruction is empty, only white space, or longer than `MAX_INSTRUCTION_BYTES`."""
    if not text.strip():
        raise Invalid("The instruction is empty. Write what the agent should do.", field="instruction")
    if len(text.encode(errors="replace")) > MAX_INSTRUCTION_BYTES:
        raise Invalid(
            "The instruction is longer than 200 kB. Put the text into a file and mention it.",
            field="instruction",
        )
