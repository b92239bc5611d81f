"""What a tool server may be, and how its tools compare with the approved ones. Pure, except for finding a program."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ..core.errors import Invalid, NotFound
from ..core.plain_text import hidden_characters, plain
from ..execution.tools.tool_server_file import OfferedTool, is_same
from . import remote
from .model import ToolServer, ToolView

_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
RESERVED = "cabinet"  # Cabinet's own tools
# They decide which code a program loads.
STEERING = (
    *("LD_", "DYLD_", "GIT_", "PATH", "ENV", "BASH_ENV", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME"),
    *("NODE_OPTIONS", "NODE_PATH", "PERL5LIB", "PERL5OPT", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS"),
)
MOST_ARGUMENTS, LONGEST_ARGUMENT = 100, 4000
MOST_VARIABLES, LONGEST_VALUE = 50, 8000
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "fish")
IN_FOLDER = "{path} is in this folder, where agents can change it. Then this tool server runs what they have written."
SHELL = "This tool server is started by a shell, so its arguments can be any commands."
NEWEST = "Its package has no fixed version, so another version may be started next time. Write {name}@<version>."


def check_name(name: str) -> str:
    """Return the name of a new tool server. Raises `Invalid` if it is not valid, and for `cabinet`."""
    if _NAME.fullmatch(name) is None or name == RESERVED:
        raise Invalid(
            "A name has lower-case letters, digits and hyphens, at most 40, and starts with a letter. "
            f"The name {RESERVED} is taken.",
            field="name",
        )
    return name


def known_name(name: str) -> str:
    """Return a name from an address.

    Raises `NotFound` if no tool server can have it; whether one exists is not checked.
    """
    if _NAME.fullmatch(name) is None:
        raise NotFound(f"There is no tool server {plain(name)[:100]}.")
    return name


def command(program: str, arguments: tuple[str, ...], search: str) -> tuple[str, ...]:
    """Return a command with the absolute path of its program. `search`: as in PATH. Blocks.

    Raises `Invalid` if the program was not found or is a relative path, and for too many or too long arguments.
    """
    if not program.strip() or "\0" in program or len(program) > LONGEST_ARGUMENT:
        raise Invalid("Enter the program that starts the tool server, such as npx.", field="program")
    if len(arguments) > MOST_ARGUMENTS or any("\0" in each or len(each) > LONGEST_ARGUMENT for each in arguments):
        raise Invalid(
            f"At most {MOST_ARGUMENTS} arguments, each with at most {LONGEST_ARGUMENT} characters.", field="arguments"
        )
    is_path = "/" in program
    found = shutil.which(program, path=search) if not is_path or Path(program).is_absolute() else None
    if found is None:
        what = "Enter an absolute path." if is_path else "Enter the program alone; its arguments have their own field."
        raise Invalid(f"The program {plain(program)[:100]} was not found on the server. {what}", field="program")
    return (str(Path(found).absolute()), *arguments)


def environment(values: Mapping[str, str]) -> dict[str, str]:
    """Return the variables unchanged.

    Raises `Invalid` for more than 50, for a name or value that is not valid, and for a variable that decides which
    programs run, such as PATH.
    """
    if len(values) > MOST_VARIABLES:
        raise Invalid(f"At most {MOST_VARIABLES} variables.", field="environment")
    for name, value in values.items():
        if _VARIABLE.fullmatch(name) is None:
            raise Invalid(f"{plain(name)[:100]} is no name of a variable.", field="environment")
        if any(name == each or (each.endswith("_") and name.startswith(each)) for each in STEERING):
            raise Invalid(f"{name} decides which programs run, so it cannot be set here.", field="environment")
        if "\0" in value or len(value) > LONGEST_VALUE:
            raise Invalid(f"The value of {name} is too long or has a zero character.", field="environment")
    return dict(values)


def warnings(server: ToolServer, root: Path) -> tuple[str, ...]:
    """Return sentences about what a person should know before giving this tool server to an agent. Empty: nothing.

    It checks the paths of the command, so call it off the loop.
    """
    if server.address:
        return remote.warnings(server.address)
    program, *arguments = server.command
    found = [IN_FOLDER.format(path=plain(each)) for each in server.command if _is_below(each, root)]
    if Path(program).name in SHELLS:
        found.append(SHELL)
    package = next((each for each in arguments if not each.startswith("-")), "")
    if Path(program).name in ("npx", "uvx", "pnpx", "bunx") and package and "@" not in package[1:]:
        found.append(NEWEST.format(name=plain(package)))
    return tuple(found)


def compared(server: ToolServer) -> tuple[ToolView, ...]:
    """Return all tools of a tool server, beside the approved ones: what needs a decision comes first.

    An approved tool that is not offered any more is `gone`; but `approved` if the last attempt to ask the server
    failed.
    """
    approved = {tool.name: tool for tool in server.approved}
    found = {tool.name: tool for tool in server.found}
    views = [_view(tool, approved.get(tool.name)) for tool in server.found]
    views += [_shown(tool, "gone") for tool in server.approved if tool.name not in found and not server.problem]
    views += [_shown(tool, "approved") for tool in server.approved if tool.name not in found and server.problem]
    order = ("changed", "new", "gone", "approved")
    return tuple(sorted(views, key=lambda view: (order.index(view.state), view.name)))


def hash_of(server: ToolServer) -> str:
    """Return the SHA-256 of what a person sees and approves: how it is started or reached, and the tools.

    The names of variables and headers are part of it; their values are not.
    """
    seen: dict[str, object] = {"command": server.command, "variables": sorted(server.variables), "tools": server.found}
    if server.address:
        seen |= {"address": server.address, "headers": sorted(server.headers)}
    return hashlib.sha256(msgspec.json.encode(seen, order="deterministic")).hexdigest()


def _view(tool: OfferedTool, approved: OfferedTool | None) -> ToolView:
    if approved is None:
        return _shown(tool, "new")
    if is_same(approved, tool):
        return _shown(tool, "approved")
    before = {"before": plain(approved.description), "schema_before": approved.schema}
    return msgspec.structs.replace(_shown(tool, "changed"), **before)


def _shown(tool: OfferedTool, state: str) -> ToolView:
    text = f"{tool.name}{tool.description}{msgspec.json.encode(tool.schema).decode()}"
    return msgspec.convert(
        {
            "name": plain(tool.name),
            "state": state,
            "description": plain(tool.description),
            "schema": tool.schema,
            "hidden_characters": hidden_characters(text),
        },
        ToolView,
    )


def _is_below(text: str, root: Path) -> bool:
    path = Path(text) if text.startswith("/") else root / text
    try:
        return path.resolve().is_relative_to(root.resolve()) and path.exists()
    except (OSError, ValueError, RuntimeError):
        return False
