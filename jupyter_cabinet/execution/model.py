"""The values of the room: an order, and the interface of its listener.

The room takes an order and returns an outcome. It knows no run, no queue and no approval: their owners listen.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, NamedTuple, Protocol

import msgspec

from ..core.people import Person, Principal, Visibility
from ..runners.port import RunnerName, Where
from ..runtimes.model import AnyAgentEvent, Outcome, PermissionMode, QuestionAsked, RunMode
from .tools.tool_server_file import GivenServer

# Whether to start the CLI in a sandbox: never; if this machine and the order allow it; or else not at all.
IsolationWish = Literal["no", "if_possible", "required"]

MADE_PRIVATE = "The terminal was made private before this run could start."

# Delivers an answer (option, note) to a CLI. False: it no longer asks.
Deliver = Callable[[str, str], Awaitable[bool]]


class AgentSkillFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a skill. `path`: relative to the skill's folder."""

    path: str
    content: bytes
    is_script: bool = False


class AgentSkill(msgspec.Struct, frozen=True, kw_only=True):
    """A skill that a person has approved. `files`: all of it, with SKILL.md."""

    name: str
    description: str
    instructions: str
    files: tuple[AgentSkillFile, ...] = ()


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """One instruction for one CLI, and everything that its execution needs."""

    run_id: str  # names its files
    session_id: str  # the conversation that it belongs to: each has at most one open CLI
    prompt: str
    system: str | None = None
    label: str  # the instruction as people read it: names a terminal, marks a recording
    runtime: str
    runtime_title: str
    mode: RunMode
    cwd: str = "."  # relative to the server's root
    model: str | None = None
    permission_mode: PermissionMode
    allowed_tools: tuple[str, ...] | None = None  # None: the tools that the permission mode allows
    max_turns: int | None = None  # model calls after which it ends; None: the setting
    own_tools: tuple[str, ...] = ()  # groups of Cabinet's tools that it has: of `agents/prompts/tool_list.py`
    allow_unenforced: bool = False  # what the CLI cannot enforce leads to a warning, and does not refuse the order
    command: tuple[str, ...] = ()  # the program and its arguments, only for the runtime `command`
    runner: RunnerName = "local"  # where the CLI starts
    image: str | None = None  # of the container, if it starts in one; None: the server's
    isolate: IsolationWish = "no"
    network: tuple[str, ...] = ()  # in a sandbox: hosts beyond its model service, "packages" or "open"
    skills: tuple[AgentSkill, ...] = ()
    tool_servers: tuple[GivenServer, ...] = ()
    agent: str | None = None  # slug of its named agent, whose folder it sees in a sandbox
    terminal_id: str | None = None  # an open terminal to start it in; None: a new one
    cols: int | None = None  # size of the pane, if a terminal is opened
    rows: int | None = None
    by: Person  # who requested it
    owner: Principal  # with the rights that they had when it was requested
    visibility: Visibility


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A CLI is about to work on an order: a process that waits to be released, or a CLI that is already open."""

    pid: int | None = None  # of the launcher; None: the CLI is already open
    started_at: str = ""  # of that process, from the process table
    native_id: str | None = None  # the id of its new session, if we choose it
    terminal_id: str | None = None
    isolated: bool = False  # the CLI is in a sandbox
    where: Where | None = None  # None: on this machine


class Exchange(NamedTuple):
    """An earlier instruction of a conversation and its answer."""

    instruction: str
    answer: str


class ToolAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one of Cabinet's tools. `is_error`: nothing was done, and `text` says why."""

    text: str
    is_error: bool = False


class Execution(Protocol):
    """An order that is being carried out."""

    @property
    def has_agent(self) -> bool:
        """Return whether a CLI in a terminal works on it, or did."""

    @property
    def pid(self) -> int | None:
        """Return the process id of its CLI's launcher on this machine; None if it was not started, or is elsewhere."""

    async def work(self) -> Outcome:
        """Carry out the order to its end, and return its outcome.

        Raises `StoppedBeforeStart`, or a `CabinetError` that describes the problem.
        """

    async def stop(self, *, at_once: bool = False) -> None:
        """End the CLI that works on the order, with all its child processes. Return when that is confirmed.

        `at_once`: kill its processes without giving them time to end, because they harm this machine.
        """

    async def interrupt(self) -> str:
        """End the turn of an open CLI, which stays open, and everything else as `stop` does.

        Returns when that is confirmed. Return "" on success. If the CLI could not be interrupted, return the reason, in
        sentences; then it has to be stopped.
        """


class OrderListener(Protocol):
    """The listener of an order, called on the loop. Calls after the end of the order may be ignored."""

    async def begun(self, begun: Begun) -> None:
        """Called before the process is released; it is released when this has returned.

        May be called again for another attempt. Raises `StoppedBeforeStart` if the order is not wanted any more.
        """

    def heard(self, events: list[AnyAgentEvent]) -> None:
        """Called when the CLI has sent these events."""

    def wrote(self, count: int) -> None:
        """Called when the CLI has written so many bytes."""

    def asked(self, asked: QuestionAsked, deliver: Deliver) -> bool:
        """Called when the CLI asks a question. Return whether it will be answered here, not in the terminal."""

    def answered(self, question_id: str, how: str) -> None:
        """Called when the CLI no longer asks this. `how`: text for people, empty if it was answered here."""

    def overruled(self, question_id: str, *, done: bool) -> None:
        """The CLI's own dialog was answered differently before the answer given here arrived.

        `done`: the action was carried out.
        """

    def left_to_terminal(self, question_id: str) -> None:
        """Called when a question is still open, but can now only be answered in the terminal."""

    def waits(self, reason: str) -> None:
        """Called when the CLI was paused, or its instruction cannot be typed."""

    def waits_to_start(self, reason: str) -> None:
        """Called when the CLI cannot start yet. `reason`: a sentence. It has started when `begun` is called."""

    def goes_on(self, question: str | None) -> None:
        """Called when it no longer waits: it works, or shows a question in its terminal."""

    def typed(self, typed: Typed) -> None:
        """Called when a person has typed an instruction into the idle CLI."""

    async def earlier(self) -> Sequence[Exchange]:
        """Return the earlier messages of the conversation, oldest first."""

    async def call_tool(self, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        """The agent uses one of Cabinet's tools; `arguments` are as it wrote them.

        May raise a `CabinetError`, which the agent receives.
        """


class Typed(NamedTuple):
    """An instruction that a person typed into an open CLI, which already works on it."""

    text: str
    typist: Person | None
    terminal_id: str
    # turns it into an order: from now on, events go to the new listener
    accept: Callable[[Order, OrderListener], Execution]


class StoppedBeforeStart(Exception):
    """The order was given up before its process was released."""
