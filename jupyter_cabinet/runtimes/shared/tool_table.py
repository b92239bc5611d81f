"""Builds the action of a question from a tool's name and arguments, by the table of its CLI. Pure.

The `questions.py` of each CLI holds a table: its tools, and the names of the arguments that matter. A tool that is not
in it, or has unexpected arguments, becomes a `ToolUse` with all of them: nothing is guessed or lost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any, get_args

import msgspec

from ..requested_actions import AnyAction, Argument, CellMode, Change, Command, Edit, Fetch, ToolUse

REASONS = ("description", "justification")  # argument names under which agents give their reason
_OF_SERVER = re.compile(r"mcp__(?P<server>.+?)__(?P<tool>.+)", re.DOTALL)  # Claude Code's form, and Codex's


class CommandTool(msgspec.Struct, frozen=True, kw_only=True):
    """Runs a command: a line for a shell, or a list of words. Its fields are names of arguments."""

    command: str = "command"
    cwd: str = ""


class EditTool(msgspec.Struct, frozen=True, kw_only=True):
    """Changes one file. Its fields are names of arguments; with only `path` the tool does not say what changes."""

    path: str
    new: str = ""
    old: str = ""  # empty: `new` is the whole file
    diff: str = ""
    each: str = ""  # a list of several changes, each with `old` and `new`
    cell: str = ""  # id of a notebook's cell
    cell_mode: str = ""  # what is done with the cell, a `CellMode`; if it is not given, the source is replaced
    cell_type: str = ""


class FetchTool(msgspec.Struct, frozen=True, kw_only=True):
    """Fetches a page or searches the web. Its fields are names of arguments."""

    url: str = ""
    query: str = ""


class FileTool(msgspec.Struct, frozen=True, kw_only=True):
    """Reads files. `paths`: names of arguments with one path each."""

    paths: tuple[str, ...]


ToolTable = Mapping[str, CommandTool | EditTool | FetchTool | FileTool]


def asked_for(tools: ToolTable, tool: str, arguments: Mapping[str, Any]) -> AnyAction:
    """Return the action of a call of `tool`; a `ToolUse` for an unknown tool and for unexpected arguments."""
    match tools.get(tool):
        case CommandTool() as known:
            made: AnyAction | None = _command(known, arguments)
        case EditTool() as known:
            made = _edit(known, arguments)
        case FetchTool() as known:
            made = _fetch(known, arguments)
        case FileTool() as known:
            made = _file(known, tool, arguments)
        case _:
            made = None
    return made or tool_use(tool, arguments)


def tool_use(tool: str, arguments: Mapping[str, Any], *, server: str = "") -> ToolUse:
    """Return any tool as a `ToolUse` with all its arguments.

    `server` is given if the tool's name does not include it.
    """
    of_server = _OF_SERVER.fullmatch(tool)
    if of_server and server in ("", of_server["server"]):
        server, tool = of_server["server"], of_server["tool"]
    return ToolUse(tool=tool, server=server, arguments=every(arguments))


def reason(arguments: Mapping[str, Any]) -> str:
    """Return the agent's own reason, which some tools have among their arguments; empty if it gives none."""
    return next((arguments[name] for name in _reason_name(arguments)), "")


def _reason_name(arguments: Mapping[str, Any]) -> tuple[str, ...]:
    names = (name for name in REASONS if isinstance(arguments.get(name), str) and arguments[name])
    return tuple(islice(names, 1))


def every(arguments: Mapping[str, Any]) -> tuple[Argument, ...]:
    """Return all arguments, by name. For an unknown tool, the argument named like a reason may be its subject."""
    return tuple(_argument(name, value) for name, value in sorted(arguments.items()))


def rest(arguments: Mapping[str, Any], *named: str) -> tuple[Argument, ...]:
    """Return all arguments by name, except the named ones and the reason."""
    left_out = {*named, *_reason_name(arguments)}
    return tuple(each for each in every(arguments) if each.name not in left_out)


def _argument(name: str, value: Any) -> Argument:
    if isinstance(value, str):
        return Argument(name=name, value=value)
    return Argument(name=name, value=msgspec.json.encode(value, order="deterministic").decode(), is_json=True)


def _command(known: CommandTool, arguments: Mapping[str, Any]) -> Command | None:
    command, cwd = arguments.get(known.command), _text(arguments, known.cwd)
    more = rest(arguments, known.command, *([known.cwd] if cwd else ()))
    if isinstance(command, str) and command:
        return Command(text=command, cwd=cwd, more=more)
    if isinstance(command, list) and command and all(isinstance(word, str) for word in command):
        return Command(argv=tuple(command), cwd=cwd, more=more)
    return None


def _edit(known: EditTool, arguments: Mapping[str, Any]) -> Edit | None:
    path = _text(arguments, known.path)
    if not path:
        return None
    if not (known.new or known.old or known.diff):
        return Edit(paths=(path,), more=rest(arguments, known.path))
    listed = arguments.get(known.each) if known.each else None
    if listed is not None:
        found = [_change(known, each) for each in listed] if isinstance(listed, list) else []
        changes = tuple(each for each in found if each)
        complete = changes and len(changes) == len(found)
        return Edit(paths=(path,), changes=changes, more=rest(arguments, known.path, known.each)) if complete else None
    change = _change(known, arguments, alone=False)
    if change is None:
        return None
    change, used = _in_cell(known, arguments, change)
    more = rest(arguments, known.path, known.new, known.old, known.diff, *used)
    return Edit(paths=(path,), changes=(change,), more=more)


def _in_cell(known: EditTool, arguments: Mapping[str, Any], change: Change) -> tuple[Change, tuple[str, ...]]:
    """Return the change with its cell, and the names of the arguments that describe it.

    Nothing if one of them has an unexpected form.
    """
    cell, cell_type = _text(arguments, known.cell), _text(arguments, known.cell_type)
    mode = arguments.get(known.cell_mode, "replace")
    if mode not in get_args(CellMode) or not (cell or mode == "insert"):
        return change, ()
    change = msgspec.structs.replace(change, cell=cell, cell_mode=mode, cell_type=cell_type)
    used = ((known.cell, cell), (known.cell_mode, mode), (known.cell_type, cell_type))
    return change, tuple(name for name, value in used if value)


def _change(known: EditTool, values: Any, *, alone: bool = True) -> Change | None:
    """Return None if the change is not described as expected. `alone`: other arguments are not allowed."""
    if not isinstance(values, Mapping):
        return None
    names = {name for name in (known.new, known.old, known.diff) if name and name in values}
    if not names or not all(isinstance(values[name], str) for name in names) or (alone and set(values) - names):
        return None
    old = values.get(known.old) if known.old else None
    return Change(new=_text(values, known.new), old=old, diff=_text(values, known.diff))


def _fetch(known: FetchTool, arguments: Mapping[str, Any]) -> Fetch | None:
    url, query = _text(arguments, known.url), _text(arguments, known.query)
    more = rest(arguments, *(name for name, said in ((known.url, url), (known.query, query)) if said))
    return Fetch(url=url, query=query, more=more) if url or query else None


def _file(known: FileTool, tool: str, arguments: Mapping[str, Any]) -> ToolUse:
    found = {name: path for name in known.paths if (path := _text(arguments, name))}
    return ToolUse(tool=tool, paths=tuple(found.values()), arguments=rest(arguments, *found))


def _text(values: Mapping[str, Any], name: str) -> str:
    value = values.get(name) if name else None
    return value if isinstance(value, str) else ""
