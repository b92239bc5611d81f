"""The arguments, settings and files for starting opencode. Pure; called by `runtime.py`. Facts: 1.18.33.

A run's settings are in a variable and override the person's own. Values follow a `=`, so none becomes an option.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from ..model import Request
from ..shared.request_checks import check_ids, check_model_of_provider, check_tool_servers
from ..shared.run_files import SYSTEM_TEXT, Instruction, RunFiles
from .rules import check_tools, rules

NO_SESSION = "ses_0"  # an id that does not exist: the CLI reports that the session is gone
_SESSION = re.compile(r"ses_[A-Za-z0-9]+")


def check(request: Request) -> None:
    """Raise `Invalid` for requests that opencode would refuse or not respect."""
    check_ids(request)
    check_model_of_provider(request, "opencode")
    check_tool_servers(request)
    check_tools(request)


class Started(NamedTuple):
    """The arguments after the program's name, and variables."""

    argv: list[str]
    environment: dict[str, str]


def headless(request: Request, files: RunFiles, plugin: str) -> Started:
    """Return the launch; the prompt comes over stdin. `plugin` is the URI of the file that opencode loads.

    May add files to `files`. Raises `Invalid` like `rules`.
    """
    return Started(["run", "--format=json", *_common(request)], _environment(request, files, plugin, None))


def interactive(request: Request, files: RunFiles, plugin: str) -> Started:
    """Return the launch in a terminal. May add files to `files`. `plugin` is the URI of the file that opencode loads.

    A continued session gets its first instruction from the plugin: the TUI does not accept one then. Raises `Invalid`
    like `rules`.
    """
    first = files.add_instruction(request.prompt, in_file=bool(request.resume))
    told = [f"--prompt={first.text}"] if first and not request.resume else []
    return Started([*_common(request), *told], _environment(request, files, plugin, first))


def stdin(request: Request) -> bytes:
    """Return the prompt; the addition to the system prompt has its own file."""
    return request.prompt.encode(errors="replace")


def variables(settings: dict[str, Any]) -> dict[str, str]:
    """Return the variables with which every opencode of ours is started. `settings` override the person's own."""
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps({**settings, "share": "manual"}),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",  # not in the middle of a run
        "OPENCODE_PURE": "false",  # otherwise it would leave out our plugin, and with it the run's rules
    }


def _common(request: Request) -> list[str]:
    argv = ["--auto"] if request.permission_mode == "bypass" else []  # what the person has denied stays denied
    if request.model:
        argv.append(f"--model={request.model}")
    if request.resume:
        argv.append(f"--session={_known(request)}")
    return argv


def _known(request: Request) -> str:
    return request.resume if request.resume and _SESSION.fullmatch(request.resume) else NO_SESSION


def _environment(request: Request, files: RunFiles, plugin: str, first: Instruction | None) -> dict[str, str]:
    told: dict[str, Any] = {"hook": request.hook_command} if request.mode == "terminal" else {"lines": True}
    told |= {"rules": rules(request), "only": request.allowed_tools is not None}
    if request.permission_mode == "bypass":
        told["auto"] = True
    if first and request.resume:
        told["first"] = {"session": _known(request), "file": first.path, **_model(request)}
    settings: dict[str, Any] = {"plugin": [[plugin, told]]}
    if request.system:  # read again for every message: nothing is cached
        settings["instructions"] = [files.add(SYSTEM_TEXT, request.system)]
    if request.mcp_servers:  # opencode passes the variable on to everything it starts
        commands = {server.name: files.add_tool_server(server) for server in request.mcp_servers}
        settings["mcp"] = {name: _server(command) for name, command in commands.items()}
    return variables(settings)


def _model(request: Request) -> dict[str, Any]:
    provider, _, model = (request.model or "").partition("/")
    return {"model": {"providerID": provider, "modelID": model}} if model else {}


def _server(command: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "local", "command": command, "enabled": True}
