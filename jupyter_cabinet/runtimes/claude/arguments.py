"""The arguments and temporary files with which Claude Code is started. Pure; called by `runtime.py`.

Nothing secret stands in an argument, no text of a person is ever read as an option. Facts: 2.1.329.
"""

from __future__ import annotations

from typing import Any

from ...core.errors import Invalid
from ..model import McpServer, PermissionMode, Request
from ..shared.request_checks import check_ids, check_model
from ..shared.run_files import SYSTEM_TEXT, Instruction, RunFiles
from .hooks import hook_settings

# Without the option 2.1.329 starts in its own mode `auto`, which asks rarely: the mode is always given.
MODES: dict[PermissionMode, str] = {"ask": "manual", "edit": "acceptEdits", "bypass": "bypassPermissions"}
# `acceptEdits` allows these inside the run's folder. As an allowed tool each would reach every file of the user.
_WRITERS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))


def check(request: Request, *, as_root: bool) -> None:
    """Raises `Invalid` for what Claude Code would refuse, or would do otherwise than asked.

    `as_root`: the server's user is root, and not inside a sandbox that Claude Code knows of.
    """
    check_ids(request)
    check_model(request)
    if any("," in tool or tool.startswith("-") for tool in request.allowed_tools or ()):
        raise Invalid("A tool's name is not usable.", field="allowed_tools")
    if request.permission_mode == "bypass" and as_root:
        raise Invalid(
            "Claude Code refuses to work without questions as root. Choose Edit files, or, inside a sandbox, "
            "start the server with IS_SANDBOX=1.",
            field="permission_mode",
        )


def headless(request: Request, files: RunFiles, *, asks: bool) -> list[str]:
    """`asks`: it goes on over stdin, by the control protocol."""
    argv = [*_common(request, files), "-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"]
    argv += ["--max-turns", str(request.max_turns)]
    return [*argv, "--input-format", "stream-json", "--permission-prompt-tool", "stdio"] if asks else argv


def interactive(request: Request, files: RunFiles) -> list[str]:
    """A first instruction stands behind all options; without one the CLI is opened and waits."""
    first = files.add_instruction(request.prompt)
    argv = _common(request, files, first)
    if request.hook_command:
        argv += ["--settings", hook_settings(request.hook_command)]
    return [*argv, "--", first.text] if first else argv


def _common(request: Request, files: RunFiles, first: Instruction | None = None) -> list[str]:
    """Options of both modes. Those that take many values are written with `=`: else they eat what follows."""
    session = ["--resume", request.resume] if request.resume else ["--session-id", request.session_id]
    argv = [*session, "--permission-mode", MODES[request.permission_mode]]
    if request.model:
        argv += ["--model", request.model]
    if request.system:
        path = files.add(SYSTEM_TEXT, request.system)
        # "off": else a resumed session would get the text of its first run again
        argv += ["--system-prompt-snapshot", "off", "--append-system-prompt-file", path]
    return argv + _tool_options(request, files, first)


def _tool_options(request: Request, files: RunFiles, first: Instruction | None) -> list[str]:
    options = []
    servers = request.mcp_servers  # beside whatever list there is of its own tools, also an empty one
    allowed = [f"mcp__{server.name}" for server in servers]
    if request.allowed_tools is not None:
        # `--tools` says what exists ("": nothing), `--allowedTools` what is done without a question
        names = (tool.partition("(")[0] for tool in request.allowed_tools if not tool.startswith("mcp__"))
        options.append(f"--tools={','.join(dict.fromkeys(names))}")
        allowed += _granted(request)
    if first and first.path:
        allowed.append(f"Read(/{first.path})")  # two slashes: an absolute path
    options += [f"--allowedTools={tool}" for tool in allowed]
    if servers:
        # in a file: the environment of a tool server may hold secrets
        path = files.add_json("mcp.json", {"mcpServers": {server.name: _server(server) for server in servers}})
        options += [f"--mcp-config={path}", "--strict-mcp-config"]
    return options


def _granted(request: Request) -> list[str]:
    """The tools of the list that need no question. *Ask first* grants none, whatever the list names."""
    if request.permission_mode == "ask":
        return []
    return [tool for tool in request.allowed_tools or () if tool not in _WRITERS]


def _server(server: McpServer) -> dict[str, Any]:
    """`alwaysLoad`: else the model has to search for its tools before it can use them."""
    command, *arguments = server.command
    return {"command": command, "args": arguments, "env": server.environment, "alwaysLoad": True}
