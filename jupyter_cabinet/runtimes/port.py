"""The port that every agent CLI implements. It starts no process: it says how to start, and reads the output.

Callers: `runs/` (launch, conversation), `web/handlers/server/runtimes.py` (about, locate, capabilities). Adapters: the
`runtime.py` of each folder beside this file, and those of other packages, which import `adapter.py`, through the
entry-point group `jupyter_cabinet.runtimes.v1`. `testing/runtimes.py` is the conformance suite for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import msgspec

from .model import AnyAgentEvent, Launch, Outcome, PermissionMode, Request
from .own_tool_servers import ToolServerFile
from .sandbox_needs import SandboxNeeds
from .session_entries import SessionStore

Source = Literal["stdout", "stderr", "transcript", "hook", "screen"]
# empty: the CLI's empty input box has the cursor, and an instruction may be typed. typed: the input box contains text.
# busy: the CLI works. other: something else has the cursor, or the state is unknown.
InputState = Literal["empty", "typed", "busy", "other"]


class About(msgspec.Struct, frozen=True, kw_only=True):
    """The description of a runtime for people."""

    name: str
    title: str
    docs: str = ""
    install: str = ""  # one command
    login: str = ""  # what to do when not logged in
    tested: str = ""  # the newest version that the adapter was tested with


class Located(msgspec.Struct, frozen=True, kw_only=True):
    """The CLI was found. `login`: whether it is logged in, if that is cheap to find out."""

    path: str
    version: str | None = None
    login: Literal["yes", "no", "unknown"] = "unknown"


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """The CLI was not found; `reason` names where it was searched for."""

    reason: str


class Capabilities(msgspec.Struct, frozen=True, kw_only=True):
    """What the found version can do. The defaults are the minimum."""

    interactive: bool = False  # it can be started in a terminal
    headless: bool = False  # it can be started with a prompt on stdin, and ends with its answer
    resume: bool = False  # it continues a session whose id it has reported
    fork: bool = False  # it continues a copy of a session
    chosen_session_id: bool = False  # it accepts the id of its new session from us
    system_prompt: bool = False  # it accepts an addition to its system prompt separately
    allowed_tools: bool = False  # it can be limited to a list of tools
    mcp: bool = False  # it accepts tool servers for one run
    max_turns: bool = False  # headless: it can be limited to a number of turns
    text_deltas: bool = False  # it reports its text while the model writes it, and completely afterwards
    cost: bool = False  # it reports the cost of a run
    questions: bool = False  # it reports them in the background, and waits for the answer
    blocking_hooks: bool = False  # in a terminal its hooks wait for the answer to a question
    finish_signal: bool = False  # in a terminal it reports when an answer is complete
    interrupts: bool = False  # in a terminal its turn can be ended from here, and it stays open
    permission_modes: tuple[PermissionMode, ...] = ()  # those it enforces; `bypass` for one that never asks
    models: tuple[str, ...] = ()  # models worth offering; others may be typed
    model_choice: bool = True  # a model can be chosen for it


class Exit(msgspec.Struct, frozen=True, kw_only=True):
    """How a process ended: `code`, or `signal` if a signal ended it."""

    code: int | None = None
    signal: int | None = None


class Conversation(Protocol):
    """The dialogue with one running CLI, without any I/O.

    `feed` accepts any chunk boundary and any unknown line and never raises because of content. Without a terminal, an
    `AnswerFinished` says that nothing more comes: the CLI then gets a few seconds to leave. In a terminal, one
    conversation serves several instructions, one after the other: after an `AnswerFinished`, `finish(None)` returns the
    outcome of that instruction and prepares for the next.
    """

    def start(self) -> bytes:
        """Return what to write to stdin first, beyond `Launch.stdin`; possibly nothing."""

    def feed(self, source: Source, data: bytes) -> list[AnyAgentEvent]:
        """Take the CLI's output; return its events, possibly none. Never raises because of content."""

    def send(self, text: str) -> bytes:
        """Return the bytes that give a further instruction to an interactive CLI (without the final Enter).

        Opens a new turn. Empty for a CLI that takes no further instruction.
        """

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        """Return the bytes that answer a question: for stdin, or for the blocking hook that asked.

        `option` is the id of one of the question's options; empty leaves the question to the terminal. `note` is the
        person's text. Empty if the question is not open, or nothing has to be written.
        """

    def finish(self, exit: Exit | None) -> Outcome:
        """Return the outcome of the current instruction.

        `exit is None`: the CLI has answered, and is still open or was ended because it did not leave by itself.
        """


@runtime_checkable
class Dialogue(Conversation, Protocol):
    """A conversation that continues over stdin, for a launch with `keep_stdin_open`."""

    def outgoing(self) -> bytes | None:
        """Return what to write now, possibly nothing; called after each `feed`.

        None: the conversation is over and stdin is closed.
        """


@runtime_checkable
class ScreenReader(Conversation, Protocol):
    """A conversation that knows what the CLI's screen shows.

    Nothing is ever typed into the CLI of any other conversation: a further instruction starts the CLI again.
    """

    def resized(self, columns: int, rows: int) -> None:
        """Set the size of the terminal; called before anything is fed, too."""

    def input(self) -> InputState:
        """Return the state of the input box. An instruction may be typed now only if it is "empty"."""

    def rested(self, seconds: float) -> list[AnyAgentEvent]:
        """Take what a complete screen shows, because nothing was drawn for `seconds`; return the events.

        Called a few times.
        """


@runtime_checkable
class Interruptible(ScreenReader, Protocol):
    """A conversation whose CLI can end a turn and stay open. Other CLIs are closed instead."""

    def interrupt(self) -> bytes:
        """Return the keys that end the open turn; empty while they would not, for example while the CLI starts.

        From now on an idle input box means that the turn has ended.
        """

    def clear(self) -> bytes:
        """Return the keys that empty an input box with text: some CLIs restore an unanswered instruction there.

        Never type them into an empty box: they may end the CLI.
        """


@runtime_checkable
class ReportsWork(Conversation, Protocol):
    """A conversation whose CLI starts a turn itself when a background command of an earlier turn has ended."""

    def work_ends(self) -> None:
        """Record that everything the interrupted turn has started will be ended, which is no reason to continue."""

    def refusal(self, hook: bytes) -> bytes:
        """Return what this hook prints to prevent such a turn. Empty: the hook is about something else."""


@runtime_checkable
class LateTranscript(Conversation, Protocol):
    """A conversation whose hook may report an answer before the transcript contains it, with its tokens."""

    def owes_text(self) -> bool:
        """Return whether the transcript still lacks what a hook has reported."""


@runtime_checkable
class KeepsState(Protocol):
    """A runtime that knows where its CLI keeps conversations, settings and logins.

    Changes of runs never include these paths: undoing one would delete the CLI's conversation.
    """

    def state_paths(self, environment: Mapping[str, str]) -> tuple[Path, ...]:
        """Return files and folders, absolute, whether or not they exist.

        `environment`: the server's variables. A name that ends with `*` matches every name with that prefix.
        """


@runtime_checkable
class Isolable(Protocol):
    """A runtime whose CLI can work in a sandbox."""

    def sandbox_needs(self, environment: Mapping[str, str]) -> SandboxNeeds | None:
        """Return the files and hosts that it needs; None: they are not known, so it cannot be isolated.

        `environment`: the server's variables. Reads settings: call it off the loop.
        """


@runtime_checkable
class StoresSessions(Protocol):
    """A runtime whose stored sessions can be read, whoever started them."""

    def session_stores(self, environment: Mapping[str, str]) -> tuple[SessionStore, ...]:
        """Return where its CLI keeps sessions and how to read them, whether or not the folders exist.

        The first store that has a session with some id counts for it. `environment`: the server's variables.
        """


@runtime_checkable
class SharesSessions(Protocol):
    """A runtime that may work in the sessions of another one, as an adapter for its CLI does."""

    @property
    def sessions_of(self) -> str:
        """Return the name of the other runtime, under which these sessions are listed; empty: they are its own."""


@runtime_checkable
class HasToolServers(Protocol):
    """A runtime whose CLI can have tool servers in its settings."""

    def tool_server_files(self, environment: Mapping[str, str], root: Path) -> tuple[ToolServerFile, ...]:
        """Return the files that may list some, whether or not they exist: of the user, and of the folder `root`.

        `environment`: the server's variables.
        """


class Runtime(Protocol):
    """One agent CLI. Instances are stateless except for caches."""

    about: About

    def locate(self, environment: Mapping[str, str]) -> Located | Missing:
        """Return where the CLI is, or why it was not found.

        Blocks for as long as `--version` takes: call it off the loop.
        """

    def capabilities(self, located: Located) -> Capabilities:
        """Return what this version can do."""

    def launch(self, located: Located, request: Request) -> Launch:
        """Return how to start it. Starts nothing, and writes no file.

        Raises `Invalid` for a request that this CLI cannot respect.
        """

    def conversation(self, request: Request) -> Conversation:
        """Return a new dialogue for one process."""

    def kept_environment(self) -> tuple[str, ...]:
        """Return the names (or `PREFIX_*`) of the server's variables that this CLI needs: keys, base URLs."""

    def transcripts(self, home: Path) -> Path | None:
        """Return the folder where this CLI keeps its sessions; a transcript named by a hook must be below it."""
