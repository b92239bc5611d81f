"""The script of the suite's model server, and the entries of its log.

Only values. `model_server.py` serves them; `anthropic_dialect.py` gives them an API's form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """The model wants a tool.

    Name (whatever its case) and arguments are spelled by the CLI's own schemas; the argument `path` stands for the
    CLI's name of it.
    """

    name: str
    arguments: dict[str, Any] = {}


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One answer of the model, or one fault."""

    text: str = ""
    tools: tuple[ToolUse, ...] = ()
    stop_reason: str | None = None  # None: what fits
    input_tokens: int = 100
    output_tokens: int = 20
    error: int | None = None  # HTTP status of a refusal; `text` is then its message
    error_type: str = "api_error"
    headers: dict[str, str] = {}
    delay_seconds: float = 0  # before the first byte; ends early when the server is closed
    chunk_delay_seconds: float = 0  # between the events of a stream
    cut: bool = False  # close the connection in the middle of the stream


class ModelRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request as the log keeps it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    prompt: str = ""  # the last thing a person said
    turn: int = 0  # model answers since then
    system: str = ""
    tools: dict[str, Any] = {}  # name → input schema

    @property
    def aside(self) -> bool:
        """Return whether the CLI asks for itself (a title, its quota), not for the person."""
        return not self.tools


Script = Sequence[Answer] | Callable[[ModelRequest], Answer]


def echo(asked: ModelRequest) -> Answer:
    """A script: the model repeats the beginning of the question."""
    return Answer(text=f"You said: {asked.prompt[:200]}")


def choose(script: Script, asked: ModelRequest) -> Answer:
    """Return the script's answer. A list contains the turns of every prompt; past its end the model says it is done."""
    if asked.aside:
        return Answer(text="ok")
    if callable(script):
        return script(asked)
    return script[asked.turn] if asked.turn < len(script) else Answer(text="Done.")
