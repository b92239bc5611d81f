"""Writes what the client has, by its docstrings, into `docs/reference/python.md`. A test compares it with the code."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from jupyter_cabinet.client import (
    agents,
    cabinet,
    channels,
    errors,
    model,
    plans,
    plays,
    sessions,
    skills,
    terminals,
    tool_servers,
)
from jupyter_cabinet.client.handles import Handles
from jupyter_cabinet.client.methods import both_forms
from jupyter_cabinet.client.runs import live_run

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "python.md"
BEGIN, END = "<!-- reference -->", "<!-- end of reference -->"
CLASSES: dict[type[Any], str] = {  # and what people call one
    cabinet.Cabinet: "cabinet",
    live_run.LiveRun: "run",
    model.RunResult: "result",
    model.UnknownEvent: "event",
    model.RunList: "runs",
    agents.Agents: "cabinet.agents",
    agents.AgentHandle: "agent",
    plans.Plans: "cabinet.plans",
    plans.PlanHandle: "plan",
    plays.Plays: "cabinet.plays",
    plays.PlayHandle: "play",
    sessions.CliSessions: "cabinet.sessions",
    skills.Skills: "cabinet.skills",
    tool_servers.ToolServers: "cabinet.tool_servers",
    channels.Channels: "cabinet.channels",
    terminals.Terminals: "cabinet.terminals",
    terminals.TerminalHandle: "terminal",
    model.CabinetStatus: "status",
    model.RuntimeStatus: "runtime",
}
HANDLES = {
    agents.Agents: agents.AgentHandle,
    plays.Plays: plays.PlayHandle,
    terminals.Terminals: terminals.TerminalHandle,
}
ERRORS = (errors.CabinetError, errors.NoServer, errors.Unreachable, errors.RequestRefused, errors.RunFailed)


def reference() -> str:
    """All of it as Markdown."""
    parts = [part for owner, name in CLASSES.items() for part in _class(owner, name)]
    parts += ["## Errors", "Of `jupyter_cabinet.client`.", "\n".join(_error(error) for error in ERRORS)]
    return "\n\n".join(parts)


def _class(owner: type[Any], name: str) -> Iterator[str]:
    yield f"## `{owner.__name__}`"
    yield _text(owner)
    if issubclass(owner, msgspec.Struct):
        yield _fields(owner)
    elif "__init__" in vars(owner) and owner is cabinet.Cabinet:
        yield f"`{owner.__name__}{_signature(owner.__init__)}`"
    if columns := getattr(owner, "COLUMNS", ()):
        yield f"`COLUMNS`: {', '.join(f'`{each}`' for each in columns)}."
    handle = HANDLES.get(owner, object).__name__
    for member, value in _members(owner):
        yield from _member(f"{name}.{member}", value, handle)


def _members(owner: type[Any]) -> Iterator[tuple[str, Any]]:
    bases = [each for each in (owner, Handles) if issubclass(owner, each)]
    for name, value in (each for base in bases for each in vars(base).items()):
        if name[0] != "_" and (isinstance(value, property | both_forms) or inspect.isfunction(value)):
            yield name, value


def _member(name: str, value: Any, handle: str) -> Iterator[str]:
    yield f"### `{name}`"
    if not isinstance(value, property):
        work = value.work if isinstance(value, both_forms) else value
        call = f"{name.rpartition('.')[2]}{_signature(work, handle)}"
        yield f"`{call}`" + (" · also `.aio(…)`" if isinstance(value, both_forms) else "")
    yield _text(value)


class _Written(str):
    """An annotation as it stands in the code, without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


def _signature(work: Any, handle: str = "") -> str:
    given = inspect.signature(work)
    parameters = [each.replace(annotation=_Written(each.annotation)) for each in given.parameters.values()][1:]
    gives = handle if given.return_annotation == "H" else given.return_annotation
    return str(given.replace(parameters=parameters, return_annotation=_Written(gives))).removesuffix(" -> None")


def _fields(owner: type[msgspec.Struct]) -> str:
    named = inspect.get_annotations(owner)
    return "Fields: " + ", ".join(f"`{name}: {kind}`" for name, kind in named.items()) + "."


def _error(error: type[Exception]) -> str:
    return f"- `{error.__name__}`: {_text(error)}".replace("\n", " ")


def _text(value: Any) -> str:
    """Lines of a paragraph are joined."""
    paragraphs = re.split(r"\n\s*\n", inspect.getdoc(value) or "")
    return "\n\n".join(" ".join(each.split()) for each in paragraphs)


def written(page: str) -> str:
    """The page with a fresh reference."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{reference()}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
    sys.stdout.write(f"{PAGE}\n")
