"""The arguments and temporary files with which Codex is started. Pure; called by `runtime.py`. Facts: 0.169.0.

Nothing secret stands in an argument, no text of a person is ever read as an option.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ...core.errors import Invalid
from ..model import McpServer, Request, TemporaryFile
from ..shared import tool_server_environment
from ..shared.request_checks import check_ids, check_model, check_tool_servers
from ..shared.session_ids import known_session
from ..shared.system_text import with_system_text
from ..shared.toml_text import TomlValue, toml
from ..shared.typed_instruction import plain_instruction
from .hooks import hook_override

LONGEST_ARGUMENT_BYTES = 32 * 1024  # a longer prompt goes into a file; the system's limit is 128 KiB
# `--no-daemon`: else the TUI copies itself into the home (404 MB) and leaves two servers behind.
# The title says whether it works, whatever the person has chosen to see there.
_TERMINAL = ("--no-daemon", "-c", 'tui.terminal_title=["activity", "project"]')


def check(request: Request) -> None:
    """Raises `Invalid` for what Codex would refuse, or would do otherwise than asked."""
    check_ids(request)
    check_model(request)
    if request.allowed_tools is not None:
        raise Invalid(
            "Codex cannot be held to a list of tools. Leave the list out, or choose another agent.",
            field="allowed_tools",
        )
    check_tool_servers(request)


def headless(request: Request) -> list[str]:
    argv = ["exec", "--json", "--skip-git-repo-check", "--color", "never", *_permissions(request), *_common(request)]
    return [*argv, "resume", "--", known_session(request.resume), "-"] if request.resume else [*argv, "--", "-"]


def interactive(request: Request) -> list[str]:
    options = [*_TERMINAL, *_permissions(request), *_common(request)]
    if request.hook_command:
        options += ["-c", hook_override(request.hook_command)]
    told = [_first_instruction(request)] if request.prompt else []
    if request.resume:
        return ["resume", *options, "--", known_session(request.resume), *told]
    return [*options, "--", *told] if told else options


def stdin(request: Request) -> bytes:
    return with_system_text(request).encode(errors="replace")


def files(request: Request) -> tuple[TemporaryFile, ...]:
    contents = {_server_file(server): _server_json(server) for server in request.mcp_servers if server.environment}
    if _by_file(request):
        contents["prompt.md"] = with_system_text(request)
    return tuple(
        TemporaryFile(path=_path(request, name), content=text.encode(errors="replace"))
        for name, text in contents.items()
    )


def _permissions(request: Request) -> list[str]:
    """`ask` may read only and asks for the rest; without a terminal nobody can be asked, so it may read only."""
    if request.permission_mode == "bypass":
        return ["--dangerously-bypass-approvals-and-sandbox"]
    sandbox = ["-s", "workspace-write" if request.permission_mode == "edit" else "read-only"]
    return sandbox if request.mode == "headless" else [*sandbox, "-a", "on-request"]


def _common(request: Request) -> list[str]:
    argv = ["-c", "check_for_update_on_startup=false"]  # a question about an update would wait for ever
    if request.model:
        argv += ["-m", request.model]
    for server in request.mcp_servers:
        argv += ["-c", f"mcp_servers.{server.name}={toml(_server(request, server))}"]
    return argv


def _server(request: Request, server: McpServer) -> dict[str, TomlValue]:
    command = server.command
    if server.environment:
        program = str(tool_server_environment.__file__)
        command = (sys.executable, "-I", "-S", program, _path(request, _server_file(server)))
    # "approve": without a terminal every call that needs a question fails
    return {"command": command[0], "args": command[1:], "default_tools_approval_mode": "approve"}


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
    """Too long for an argument, or not for everybody's eyes."""
    too_long = len(request.prompt.encode(errors="replace")) > LONGEST_ARGUMENT_BYTES
    return request.mode == "terminal" and bool(request.prompt) and (too_long or bool(request.system))


def _path(request: Request, name: str) -> str:
    if not request.run_directory:
        raise Invalid("This run needs a directory for its files.", field="run_directory")
    return str(Path(request.run_directory) / name)
