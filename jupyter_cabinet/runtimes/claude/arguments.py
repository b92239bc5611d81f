"""The arguments and temporary files with which Claude Code is started. Pure; called by `runtime.py`.

Nothing secret stands in an argument, no text of a person is ever read as an option. Facts: 2.1.329.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

from ...core.errors import Invalid
from ..model import McpServer, PermissionMode, Request, TemporaryFile
from ..shared.request_checks import check_ids, check_model
from ..shared.typed_instruction import plain_instruction

LONGEST_ARGUMENT_BYTES = 32 * 1024  # a longer prompt goes into a file; the system's limit is 128 KiB
# Without the option 2.1.329 starts in its own mode `auto`, which asks rarely: the mode is always given.
MODES: dict[PermissionMode, str] = {"ask": "manual", "edit": "acceptEdits", "bypass": "bypassPermissions"}
_HOOKS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "PermissionDenied",
    "Stop",
    "StopFailure",
    "SessionEnd",
)
HOOK_TIMEOUT_SECONDS = 15  # a server that has gone must not hold up the person's CLI
QUESTION_SECONDS = 24 * 60 * 60  # its hook waits for a person; when the server goes it ends at once


def check(request: Request) -> None:
    """Raises `Invalid` for what Claude Code would refuse, or would do otherwise than asked."""
    check_ids(request)
    check_model(request)
    if any("," in tool or tool.startswith("-") for tool in request.allowed_tools or ()):
        raise Invalid("A tool's name is not usable.", field="allowed_tools")
    as_root = os.geteuid() == 0 and os.environ.get("IS_SANDBOX") != "1"  # "yes" does not count
    if request.permission_mode == "bypass" and as_root:
        raise Invalid(
            "Claude Code refuses to work without questions as root. Choose Edit files, or, inside a sandbox, "
            "start the server with IS_SANDBOX=1.",
            field="permission_mode",
        )


def common(request: Request) -> list[str]:
    """Options of both modes. Those that take many values are written with `=`: else they eat what follows."""
    session = ["--resume", request.resume] if request.resume else ["--session-id", request.session_id]
    argv = [*session, "--permission-mode", MODES[request.permission_mode]]
    if request.model:
        argv += ["--model", request.model]
    if request.system:
        # "off": else a resumed session would get the text of its first run again
        argv += [
            "--system-prompt-snapshot",
            "off",
            "--append-system-prompt-file",
            _path(request, "system.md"),
        ]
    argv += _tool_options(request)
    return argv


def _tool_options(request: Request) -> list[str]:
    options = []
    allowed = [f"mcp__{server.name}" for server in _servers(request)]
    if request.allowed_tools is not None:
        # `--tools` takes away, `--allowedTools` spares the question; "" takes all away
        names = (tool.partition("(")[0] for tool in request.allowed_tools if not tool.startswith("mcp__"))
        options.append(f"--tools={','.join(dict.fromkeys(names))}")
        allowed += request.allowed_tools
    if _too_long(request):
        allowed.append(f"Read(/{_path(request, 'prompt.md')})")  # two slashes: an absolute path
    options += [f"--allowedTools={tool}" for tool in allowed]
    if _servers(request):
        options += [f"--mcp-config={_path(request, 'mcp.json')}", "--strict-mcp-config"]
    return options


def files(request: Request) -> tuple[TemporaryFile, ...]:
    contents: dict[str, str] = {}
    if request.system:
        contents["system.md"] = request.system
    if _servers(request):
        contents["mcp.json"] = _mcp_config(request)
    if _too_long(request):
        contents["prompt.md"] = request.prompt
    return tuple(
        TemporaryFile(path=_path(request, name), content=text.encode(errors="replace"))
        for name, text in contents.items()
    )


def _path(request: Request, name: str) -> str:
    if not request.run_directory:
        raise Invalid("This run needs a directory for its files.", field="run_directory")
    return str(Path(request.run_directory) / name)


def _servers(request: Request) -> tuple[McpServer, ...]:
    """No tools means no tool servers either."""
    return () if request.allowed_tools == () else request.mcp_servers


def first_instruction(request: Request) -> list[str]:
    """What follows the options; nothing for a CLI that is to wait for an instruction."""
    if _too_long(request):
        path = _path(request, "prompt.md")
        return ["--", f"Your instruction is in the file {path}. Read all of it and carry it out."]
    return ["--", plain_instruction(request.prompt).replace("\0", "")] if request.prompt else []


def _too_long(request: Request) -> bool:
    return request.mode == "terminal" and len(request.prompt.encode(errors="replace")) > LONGEST_ARGUMENT_BYTES


def _mcp_config(request: Request) -> str:
    """In a file of its own: the environment of a tool server may hold secrets."""
    servers = {
        server.name: {"command": server.command[0], "args": server.command[1:], "env": server.environment}
        for server in _servers(request)
    }
    return json.dumps({"mcpServers": servers})


def hook_settings(command: tuple[str, ...]) -> str:
    """Hooks for this process alone; the person's own settings stay. The CLI runs a hook in a shell."""
    line = shlex.join(command)
    seconds = {event: QUESTION_SECONDS if event == "PermissionRequest" else HOOK_TIMEOUT_SECONDS for event in _HOOKS}
    hooks = {event: {"type": "command", "command": line, "timeout": limit} for event, limit in seconds.items()}
    return json.dumps({"hooks": {event: [{"hooks": [hook]}] for event, hook in hooks.items()}})
