"""The port every agent CLI stands behind. It starts nothing: it says how to start, and reads what comes back.

Callers: `runs/` (launch, conversation), `web/handlers/runtimes.py` (about, locate, capabilities).
Adapters: the `runtime.py` of each folder beside this file, and those of other packages, which import `adapter.py`,
through the entry-point group `jupyter_cabinet.runtimes.v1`. `testing/runtimes.py` is the conformance suite for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import msgspec

from .model import AnyAgentEvent, Launch, Outcome, PermissionMode, Request

Source = Literal["stdout", "stderr", "transcript", "hook", "screen"]
# empty: the CLI's empty input box has the cursor, and an instruction may be typed. typed: something stands in the input
# box. busy: it works. other: something else has the cursor, or nobody knows.
InputState = Literal["empty", "typed", "busy", "other"]


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What people read about a runtime."""

    name: str
    title: str
    docs: str = ""
    install: str = ""  # one command
    login: str = ""  # what to do when not logged in
    tested: str = ""  # the newest version that the adapter was tried with


class Located(msgspec.Struct, frozen=True, kw_only=True):
    """The CLI is here. `login`: whether it is logged in, where that is cheap to know."""

    path: str
    version: str | None = None
    login: Literal["yes", "no", "unknown"] = "unknown"


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """The CLI was not found; `reason` names where it was looked for."""

    reason: str


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What the found version can do. The defaults are the least."""

    interactive: bool = False  # it can be started in a terminal
    headless: bool = False  # it can be started with a prompt on stdin, and ends with its answer
    resume: bool = False  # it goes on with a session whose id it has told
    fork: bool = False  # it goes on with a copy of a session
    chosen_session_id: bool = False  # it takes the id of its new session from us
    system_prompt: bool = False  # it has a place of its own for an addition to its system prompt
    allowed_tools: bool = False  # it can be held to a list of tools
    mcp: bool = False  # it takes tool servers for one run
    max_turns: bool = False  # headless: it can be held to a number of turns
    text_deltas: bool = False  # it tells its text while the model writes it, and whole afterwards
    cost: bool = False  # it tells what a run has cost
    questions: bool = False  # it tells of them in the background, and waits for the answer
    blocking_hooks: bool = False  # in a terminal its hooks wait for the answer to a question
    finish_signal: bool = False  # in a terminal it tells when an answer is complete
    interrupts: bool = False  # in a terminal its turn can be ended from here, and it stays open
    permission_modes: tuple[PermissionMode, ...] = ()  # those it keeps; `bypass` for one that never asks
    models: tuple[str, ...] = ()  # names worth offering; others may be typed
    without_model: bool = False  # it has no model that could be chosen


class Exit(msgspec.Struct, frozen=True, kw_only=True):
    """How a process ended: `code`, or `signal` when one ended it."""

    code: int | None = None
    signal: int | None = None


class Conversation(Protocol):
    """The dialogue with one running CLI, without any I/O.

    `feed` takes any chunk boundary and any unknown line and never raises on content.
    Without a terminal an `AnswerFinished` says that nothing more comes: the CLI gets some seconds to leave then.
    In a terminal one conversation serves several instructions, one after the other: after an
    `AnswerFinished`, `finish(None)` gives the outcome of that instruction and makes it ready for the next.
    """

    def start(self) -> bytes:
        """What to write to stdin first, beyond `Launch.stdin`."""

    def feed(self, source: Source, data: bytes) -> list[AnyAgentEvent]:
        """Take what the CLI wrote; return what it means."""

    def send(self, text: str) -> bytes:
        """The bytes that give a further instruction to an interactive CLI (without the final Enter)."""

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        """The bytes that answer a question, on the way it came: stdin, or what a blocking hook prints.

        `option` is the id of one of the question's options; `note` what the person says with it.
        """

    def finish(self, exit: Exit | None) -> Outcome:
        """The outcome of the current instruction. `exit is None`: the CLI has answered, and is still open or was
        ended because it did not leave by itself."""


@runtime_checkable
class Dialogue(Conversation, Protocol):
    """A conversation that goes on over stdin: of a launch with `keep_stdin_open`."""

    def outgoing(self) -> bytes | None:
        """What to write now; asked after each `feed`. None: nothing more will ever be written, stdin is closed."""


@runtime_checkable
class ScreenReader(Conversation, Protocol):
    """A conversation that knows what the CLI's screen shows. One that does not is never typed into: a further
    instruction opens the CLI anew."""

    def resized(self, columns: int, rows: int) -> None:
        """The terminal has this size from now on; told before anything is fed, too."""

    def input(self) -> InputState:
        """Whether an instruction may be typed now."""

    def rested(self, seconds: float) -> list[AnyAgentEvent]:
        """Nothing was drawn for so long; what stands on the screen is meant to stand there. Told a few times."""


@runtime_checkable
class Interruptible(ScreenReader, Protocol):
    """A conversation with a CLI that can be made to give up a turn and stays open. Of others the CLI is closed."""

    def interrupt(self) -> bytes:
        """The keys that end the turn that is open; empty as long as they would not, when the CLI is still being
        started for example. From now on an input box at rest says that the turn has ended."""

    def clear(self) -> bytes:
        """The keys that empty the input box: some CLIs put an instruction back that they had not answered yet."""


@runtime_checkable
class ReportsWork(Conversation, Protocol):
    """A conversation whose CLI begins a turn by itself when a background command of an earlier one has ended."""

    def work_ends(self) -> None:
        """What the turn that was interrupted has started is about to be ended: that is no reason to go on."""

    def refusal(self, hook: bytes) -> bytes:
        """What this hook prints so that such a turn does not begin. Empty: the hook is about something else."""


@runtime_checkable
class LateTranscript(Conversation, Protocol):
    """A conversation whose hook may tell of an answer before the transcript holds it, with its tokens."""

    def owes_text(self) -> bool:
        """Whether the transcript does not hold yet what a hook has told."""


@runtime_checkable
class KeepsState(Protocol):
    """A runtime that knows where its CLI keeps conversations, settings and logins. Changes of runs never include these
    paths: to undo one would take the conversation from its CLI."""

    def state_paths(self, environment: Mapping[str, str]) -> tuple[Path, ...]:
        """Files and folders, absolute, whether or not they exist. `environment`: the server's variables. A name that
        ends with `*` matches every name that begins like it."""


class Runtime(Protocol):
    """One agent CLI. Instances are stateless but for caches."""

    about: About

    def locate(self, environment: Mapping[str, str]) -> Located | Missing:
        """Find the CLI. Blocks for as long as `--version` takes: call it off the loop."""

    def capabilities(self, located: Located) -> Capabilities:
        """What this version can do."""

    def launch(self, located: Located, request: Request) -> Launch:
        """How to start it. Raises `Invalid` for a request this CLI cannot keep."""

    def conversation(self, request: Request) -> Conversation:
        """A fresh dialogue for one process."""

    def kept_environment(self) -> tuple[str, ...]:
        """Names (or `PREFIX_*`) of the server's variables that this CLI needs: keys, base URLs."""

    def transcripts(self, home: Path) -> Path | None:
        """The folder where this CLI keeps its sessions; a transcript named by a hook must lie below it."""
