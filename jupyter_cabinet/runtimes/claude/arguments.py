"""The arguments and temporary files for starting Claude Code. Pure; called by `runtime.py`.

No secret appears in an argument, and no text of a person is ever read as an option. Facts: 2.1.329.
"""

from __future__ import annotations

from typing import Any

from ...core.errors import Invalid
from ..model import McpServer, PermissionMode, Request
from ..shared.request_checks import check_ids, check_model
from ..shared.run_files import SYSTEM_TEXT, Instruction, RunFiles
from .hooks import hook_settings

# Without this option, 2.1.329 starts in its own mode `auto`, which rarely asks. So the mode is always given.
MODES: dict[PermissionMode, str] = {"ask": "manual", "edit": "acceptEdits", "bypass": "bypassPermissions"}
# `acceptEdits` allows these inside the run's folder. As allowed tools they would reach every file of the user.
_WRITERS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))


def check(request: Request, *, as_root: bool) -> None:
    """Raise `Invalid` for requests that Claude Code would refuse or not respect.

    `as_root`: the server's user is root, and not inside a sandbox that Claude Code recognizes.
    """
    check_ids(request)
    check_model(request)
    if any("," in tool or tool.startswith("-") for tool in request.allowed_tools or ()):
        raise Invalid("The name of a tool is not valid.", field="allowed_tools")
    if request.permission_mode == "bypass" and as_root:
        raise Invalid(
            "Claude Code refuses to work without questions as root. Choose Edit files, or, inside a sandbox, "
            "start the server with IS_SANDBOX=1.",
            field="permission_mode",
        )


def headless(request: Request, files: RunFiles, *, asks: bool) -> list[str]:
    """Return the command line; the prompt comes over stdin. May add files to `files`.

    `asks`: it continues over stdin, by the control protocol. Does not check the request: see `check`.
    """
    argv = [*_common(request, files), "-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"]
    argv += ["--max-turns", str(request.max_turns)]
    return [*argv, "--input-format", "stream-json", "--permission-prompt-tool", "stdio"] if asks else argv


def interactive(request: Request, files: RunFiles) -> list[str]:
    """Return the command line, with a first instruction behind all options. Without one the CLI opens and waits.

    May add files to `files`. Does not check the request: see `check`.
    """
    first = files.add_instruction(request.prompt)
    argv = _common(request, files, first)
    if request.hook_command:
        argv += ["--settings", hook_settings(request.hook_command)]
    return [*argv, "--", first.text] if first else argv


def _common(request: Request, files: RunFiles, first: Instruction | None = None) -> list[str]:
    """Return the options of both modes. Options with many values use `=`: otherwise they consume what follows."""
    session = ["--resume", request.resume] if request.resume else ["--session-id", request.session_id]
    argv = [*session, "--permission-mode", MODES[request.permission_mode]]
    if request.model:
        argv += ["--model", request.model]
    if request.system:
        path = files.add(SYSTEM_TEXT, request.system)
        # "off": otherwise a resumed session would get the text of its first run again
        argv += ["--system-prompt-snapshot", "off", "--append-system-prompt-file", path]
    return argv + _tool_options(request, files, first)


def _tool_options(request: Request, files: RunFiles, first: Instruction | None) -> list[str]:
    options = []
    servers = request.mcp_servers  # in addition to its list of built-in tools, even if that is empty
    allowed = [f"mcp__{server.name}" for server in servers]
    if request.allowed_tools is not None:
        # `--tools` lists the tools that exist ("": none), `--allowedTools` those that need no question
        names = (tool.partition("(")[0] for tool in request.allowed_tools if not tool.startswith("mcp__"))
        options.append(f"--tools={','.join(dict.fromkeys(names))}")
        allowed += _granted(request)
    if first and first.path:
        allowed.append(f"Read(/{first.path})")  # two slashes mark an absolute path
    allowed += [f"Read(/{folder}/**)" for folder in request.readable]
    options += [f"--allowedTools={tool}" for tool in allowed]
    if servers or request.allowed_tools == ():
        # Without tools, the tool servers of the user's own configuration must not be there either.
        # In a file, because the environment of a tool server may hold secrets.
        path = files.add_json("mcp.json", {"mcpServers": {server.name: _server(server) for server in servers}})
        options.append(f"--mcp-config={path}")
        if not request.keeps_tool_servers or request.allowed_tools == ():
            options.append("--strict-mcp-config")
    return options


def _granted(request: Request) -> list[str]:
    """Return the tools of the list that need no question. *Ask first* grants none, even if the list names some."""
    if request.permission_mode == "ask":
        return []
    return [tool for tool in request.allowed_tools or () if tool not in _WRITERS]


def _server(server: McpServer) -> dict[str, Any]:
    """`alwaysLoad`: otherwise the model has to search for its tools before it can use them."""
    command, *arguments = server.command
    return {"command": command, "args": arguments, "env": server.environment, "alwaysLoad": True}
