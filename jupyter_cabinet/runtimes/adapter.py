"""The names that an adapter of a CLI is built from. Import all of them from here, in your own package.

The names in `__all__` stay the same within a version of the entry-point group `jupyter_cabinet.runtimes.v1`; other
modules may change. `docs/how-to/add-a-runtime.md` leads from an empty folder to a working runtime.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from ..core.errors import Invalid
from .locate import Login, locate
from .model import (
    AnswerFinished,
    AnyAgentEvent,
    Failure,
    Launch,
    McpServer,
    Outcome,
    Request,
    Retrying,
    TextBlock,
    TextDelta,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    UsageReported,
    Warned,
)
from .port import About, Capabilities, Conversation, Dialogue, Exit, Located, Missing, Runtime, ScreenReader, Source
from .sandbox_needs import SandboxNeeds
from .session_entries import SessionStore
from .shared.messages.json_stream import JsonStream
from .shared.one_instruction import OneInstruction
from .shared.run_files import RunFiles
from .shared.screens.screen_table import BarredBox, FramedBox, ScreenTable, UnframedBox
from .shared.screens.terminal_turns import TerminalTurns

__all__ = [
    "About",
    "Adapter",
    "AnswerFinished",
    "AnyAgentEvent",
    "BarredBox",
    "Capabilities",
    "Conversation",
    "Dialogue",
    "Exit",
    "Failure",
    "FramedBox",
    "Invalid",
    "JsonStream",
    "Launch",
    "Located",
    "McpServer",
    "Missing",
    "OneInstruction",
    "Outcome",
    "Request",
    "Retrying",
    "RunFiles",
    "Runtime",
    "SandboxNeeds",
    "ScreenReader",
    "ScreenTable",
    "Source",
    "TerminalTurns",
    "TextBlock",
    "TextDelta",
    "Thinking",
    "ToolCall",
    "ToolResult",
    "UnframedBox",
    "Usage",
    "UsageReported",
    "Warned",
]


class Adapter:
    """A runtime (`port.Runtime`) with minimal defaults; an adapter overrides the rest."""

    about: About
    program: ClassVar[str] = ""  # the name of the CLI's program; empty: the name of the runtime
    can: ClassVar[Capabilities] = Capabilities()  # for every version
    environment: ClassVar[tuple[str, ...]] = ()  # names, or `PREFIX_*`, of the server's variables that it needs
    headless: ClassVar[type[Any] | None] = None  # the class of its dialogue over pipes, made from a `Request`
    terminal: ClassVar[type[Any] | None] = None  # the class of its dialogue in a terminal; None: it has none

    def locate(self, environment: Mapping[str, str]) -> Located | Missing:
        """Return the found CLI, or why it was not found: see `locate.locate`.

        Blocks for as long as `--version` takes.
        """
        return locate(self.program or self.about.name, self.about.name, environment, self.login_state)

    def login_state(self, environment: Mapping[str, str]) -> Login:
        """Return whether the CLI is logged in, judging by its files and variables. By default "unknown"."""
        return "unknown"

    def capabilities(self, located: Located) -> Capabilities:
        """Return what the found version can do."""
        return self.can

    def launch(self, located: Located, request: Request) -> Launch:
        """Return how to start it. Starts nothing. Raises `Invalid` for a request that this CLI cannot respect.

        An adapter has to override it.
        """
        raise NotImplementedError

    def conversation(self, request: Request) -> Conversation:
        """Return a new dialogue for one process: made from `headless` or `terminal`, by the mode of the request.

        Raises `NotImplementedError` if the adapter has no such class.
        """
        made = self.headless if request.mode == "headless" else self.terminal or self.headless
        if made is None:
            raise NotImplementedError
        conversation: Conversation = made(request)
        return conversation

    def kept_environment(self) -> tuple[str, ...]:
        """Return the names (or `PREFIX_*`) of the server's variables that this CLI needs."""
        return self.environment

    def sandbox_needs(self, environment: Mapping[str, str]) -> SandboxNeeds | None:
        """Return what this CLI needs in a sandbox; None, the default: not known, so its runs cannot be isolated."""
        return None

    def transcripts(self, home: Path) -> Path | None:
        """Return the folder where this CLI keeps its sessions; None, the default: no hook names a transcript."""
        return None

    def state_paths(self, environment: Mapping[str, str]) -> tuple[Path, ...]:
        """Return where this CLI keeps conversations, settings and logins; by default nothing.

        No run's changes include these paths. A name that ends with `*` matches every name with that prefix.
        """
        return ()

    def session_stores(self, environment: Mapping[str, str]) -> tuple[SessionStore, ...]:
        """Return where this CLI keeps its sessions and how to read them; by default none, so that they are not read."""
        return ()
