"""The values of the room: what is to be done, and what whoever ordered it hears.

The room knows an order and gives an outcome. It knows no run, no queue and no approval: those who order listen.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol

import msgspec

from ..core.people import Person, Visibility
from ..runtimes.model import AnyAgentEvent, Outcome, PermissionMode, QuestionAsked, RunMode

# Hands an answer (option, note) to a CLI. False: it no longer asks.
Deliver = Callable[[str, str], Awaitable[bool]]


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One instruction for one CLI, and everything that its execution needs."""

    run_id: str  # names its files
    session_id: str  # the conversation that it belongs to: there is one open CLI for each
    prompt: str
    system: str | None = None
    label: str  # the instruction as people read it: names a terminal, marks a recording
    runtime: str
    runtime_title: str
    mode: RunMode
    cwd: str = "."  # relative to the server's root
    model: str | None = None
    permission_mode: PermissionMode
    allowed_tools: tuple[str, ...] | None = None  # None: what the permission mode allows
    max_turns: int | None = None  # model calls after which it ends; None: the setting
    own_tools: tuple[str, ...] = ()  # groups of tools of our own that it has: "memory", "sessions", "messaging"
    allow_unenforced: bool = False  # what the CLI cannot keep is told, and does not refuse the order
    command: tuple[str, ...] = ()  # the program and its arguments, for the runtime `command` alone
    terminal_id: str | None = None  # an open terminal to start it in; None: one of its own
    cols: int | None = None  # size of the pane, where a terminal is opened
    rows: int | None = None
    by: Person  # who asked for it
    owner: str
    visibility: Visibility


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A CLI is about to work on an order: a process that waits for its go, or a CLI that is open already."""

    pid: int | None = None  # of the launcher; None: the CLI is open already
    started_at: str = ""  # of that process, as the process table tells it
    native_id: str | None = None  # what its new session will be called, where we choose
    terminal_id: str | None = None


class Exchange(NamedTuple):
    """An earlier instruction of a conversation and its answer."""

    instruction: str
    answer: str


class ToolAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool of our own answers its agent. `is_error`: nothing was done, and `text` says why."""

    text: str
    is_error: bool = False


class Execution(Protocol):
    """An order that is carried out."""

    has_agent: bool  # a CLI in a terminal works on it, or did

    async def work(self) -> Outcome:
        """Carry it out to the end. Raises `StoppedBeforeStart`, or a `CabinetError` that says what is wrong."""

    async def stop(self) -> None:
        """End what works on it and everything that it has started; returns when that is confirmed."""

    async def interrupt(self) -> str:
        """End the turn of an open CLI, which stays open, and everything else as `stop` does; returns when that is
        confirmed. Where the CLI could not be interrupted: the reason, in sentences; then it is to be stopped."""


class OrderListener(Protocol):
    """What whoever gave an order hears of it, on the loop. What comes after the end of the order may be ignored."""

    async def begun(self, begun: Begun) -> None:
        """Called before the process gets its go: it goes when this has returned. May be called again for another
        try. Raises `StoppedBeforeStart` where the order is not wanted any more."""

    def heard(self, events: list[AnyAgentEvent]) -> None:
        """The CLI has said this."""

    def wrote(self, count: int) -> None:
        """The CLI has written so many bytes."""

    def asked(self, asked: QuestionAsked, deliver: Deliver) -> bool:
        """The CLI asks. Whether anybody will answer; else the question is left to the terminal."""

    def answered(self, question_id: str, how: str) -> None:
        """The CLI asks this no longer. `how`: in words for people, empty where it was answered from here."""

    def overruled(self, question_id: str, *, done: bool) -> None:
        """The CLI's own box was answered otherwise before the answer from here arrived. `done`: what was asked for was
        carried out."""

    def left_to_terminal(self, question_id: str) -> None:
        """It still asks this, and can only be answered in the terminal any more."""

    def waits(self, reason: str) -> None:
        """The CLI was paused, or its instruction cannot be typed."""

    def goes_on(self, question: str | None) -> None:
        """It waits no more: it works, or stands at a question that its terminal shows."""

    def typed(self, typed: Typed) -> None:
        """A person typed an instruction into the CLI when it had nothing to do."""

    async def earlier(self) -> Sequence[Exchange]:
        """What was said in the conversation before, oldest first."""

    async def call_tool(self, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        """The agent uses a tool of our own; `arguments` are as it has written them. May raise a `CabinetError`, which
        it is told."""


class Typed(NamedTuple):
    """An instruction that a person typed into an open CLI, which works on it already."""

    text: str
    typist: Person | None
    terminal_id: str
    # makes it an order of its own: what happens from now on is for the new listener
    accept: Callable[[Order, OrderListener], Execution]


class StoppedBeforeStart(Exception):
    """The order was given up before its process was let go."""
