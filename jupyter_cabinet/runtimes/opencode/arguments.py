"""The arguments, settings and files with which opencode is started. Pure; called by `runtime.py`. Facts: 1.18.33.

Settings of one run stand in a variable, over the person's own. Values stand behind `=`: none becomes an option.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from ...core.errors import Invalid
from ..model import McpServer, Request, TemporaryFile
from ..shared import tool_server_environment
from ..shared.request_checks import check_ids, check_model_of_provider, check_tool_servers
from ..shared.typed_instruction import plain_instruction
from .permissions import check_tools, rules

LONGEST_ARGUMENT_BYTES = 32 * 1024  # a longer prompt goes into a file; the system's limit is 128 KiB
PLUGIN = Path(__file__).with_name("plugin.js")
NO_SESSION = "ses_0"  # nobody has it: the CLI says that it is gone
_SESSION = re.compile(r"ses_[A-Za-z0-9]+")


def check(request: Request) -> None:
    """Raises `Invalid` for what opencode would refuse, or would do otherwise than asked."""
    check_ids(request)
    check_model_of_provider(request, "opencode")
    check_tool_servers(request)
    check_tools(request)


def headless(request: Request) -> list[str]:
    return ["run", "--format=json", *_common(request)]


def interactive(request: Request) -> list[str]:
    argv = _common(request)
    return argv if request.resume or not request.prompt else [*argv, f"--prompt={_first_instruction(request)}"]


def stdin(request: Request) -> bytes:
    return request.prompt.encode(errors="replace")


def environment(request: Request) -> dict[str, str]:
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps(_settings(request)),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",  # not in the middle of somebody's work
        "OPENCODE_PURE": "false",  # else it would leave our plugin out, and with it the run's rules
    }


def files(request: Request) -> tuple[TemporaryFile, ...]:
    contents = {_server_file(server): _server_json(server) for server in request.mcp_servers if server.environment}
    if request.system:
        contents["system.md"] = request.system
    if _by_file(request):
        contents["prompt.md"] = request.prompt
    return tuple(
        TemporaryFile(path=_path(request, name), content=text.encode(errors="replace"))
        for name, text in contents.items()
    )


def _common(request: Request) -> list[str]:
    argv = ["--auto"] if request.permission_mode == "bypass" else []  # what the person has denied stays denied
    if request.model:
        argv.append(f"--model={request.model}")
    if request.resume:
        argv.append(f"--session={_known(request)}")
    return argv


def _known(request: Request) -> str:
    return request.resume if request.resume and _SESSION.fullmatch(request.resume) else NO_SESSION


def _settings(request: Request) -> dict[str, Any]:
    in_terminal = request.mode == "terminal"
    told: dict[str, Any] = {"hook": request.hook_command} if in_terminal else {"lines": True}
    told |= {"rules": rules(request), "only": request.allowed_tools is not None}
    if in_terminal and request.resume and request.prompt:
        told["first"] = _first_of_resumed(request)
    settings: dict[str, Any] = {"plugin": [[PLUGIN.as_uri(), told]], "share": "manual"}
    if request.system:
        settings["instructions"] = [_path(request, "system.md")]  # read anew for every message: nothing is frozen
    if request.mcp_servers:
        settings["mcp"] = {server.name: _server(request, server) for server in request.mcp_servers}
    return settings


def _first_of_resumed(request: Request) -> dict[str, Any]:
    """What the plugin hands to a session that goes on: there the TUI takes no first instruction."""
    provider, _, model = (request.model or "").partition("/")
    chosen = {"model": {"providerID": provider, "modelID": model}} if model else {}
    return {"session": _known(request), "file": _path(request, "prompt.md"), **chosen}


def _server(request: Request, server: McpServer) -> dict[str, Any]:
    command = server.command
    if server.environment:  # the variable is handed on to whatever opencode starts
        program = str(tool_server_environment.__file__)
        command = (sys.executable, "-I", "-S", program, _path(request, _server_file(server)))
    return {"type": "local", "command": command, "enabled": True}


def _server_file(server: McpServer) -> str:
    return f"tools-{server.name}.json"


def _server_json(server: McpServer) -> str:
    return json.dumps({"command": server.command, "environment": server.environment})


def _first_instruction(request: Request) -> str:
    if _by_file(request):
        path = _path(request, "prompt.md")
        return f"Your instruction is in the file {path}. Read all of it and carry it out."
    return plain_instruction(request.prompt).replace("\0", "")


def _by_file(request: Request) -> bool:
    if request.mode != "terminal" or not request.prompt:
        return False
    return bool(request.resume) or len(request.prompt.encode(errors="replace")) > LONGEST_ARGUMENT_BYTES


def _path(request: Request, name: str) -> str:
    if not request.run_directory:
        raise Invalid("This run needs a directory for its files.", field="run_directory")
    return str(Path(request.run_directory) / name)
