"""The arguments, settings and files with which OpenClaw is started. Pure; called by `runtime.py`. Facts: 2026.9.6.

`agent exec` takes the prompt from stdin. Rules of a run stand in a settings file of its own that includes the person's:
there lists are added to theirs, and what is denied stays denied. So a run can take tools away, never give more.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ...core.errors import Invalid
from ..model import McpServer, Request, TemporaryFile
from ..shared.request_checks import check_model_of_provider, check_tool_servers
from ..shared.system_text import with_system_text

# The watchdog ends a run; its own limit would be 600 s.
LIMIT_SECONDS = 7 * 24 * 3600
# What goes beyond the files of the folder: the shell, other sessions and machines, messages, settings, schedules.
_BEYOND_FILES = (
    "group:runtime",
    "group:sessions",
    "group:nodes",
    "group:messaging",
    "group:automation",
    "group:ui",
    "skill_workshop",
    "ask_user",
)
_WRITING = ("write", "edit", "apply_patch")


def check(request: Request) -> None:
    """Raises `Invalid` for what OpenClaw would refuse, or would do otherwise than asked."""
    if request.mode != "headless":
        raise Invalid("OpenClaw runs without a terminal only. Choose another agent, or a headless run.", field="mode")
    if request.resume is not None:
        raise Invalid("OpenClaw cannot go on with a session in your folder. Start a new one.", field="resume")
    check_model_of_provider(request, "OpenClaw")
    if request.allowed_tools:
        raise Invalid(
            "OpenClaw cannot be held to a list of tools. Leave the list out, or choose another agent.",
            field="allowed_tools",
        )
    check_tool_servers(request)


def headless(request: Request) -> list[str]:
    argv = ["agent", "exec", "--json", "--message-file=-", f"--cwd={request.cwd}", f"--timeout={LIMIT_SECONDS}"]
    if request.model:
        argv.append(f"--model={request.model}")
    if _has_rules(request):
        argv.append(f"--config={_path(request)}")
    return argv


def stdin(request: Request) -> bytes:
    return with_system_text(request).encode(errors="replace")


def environment(request: Request, settings: Path | None, roots: str) -> dict[str, str]:
    """`settings`: the person's file; `roots`: the folders from which they let it include others."""
    if not _has_rules(request) or settings is None:
        return {}
    return {"OPENCLAW_INCLUDE_ROOTS": os.pathsep.join(filter(None, [str(settings.parent), roots]))}


def files(request: Request, settings: Path | None) -> tuple[TemporaryFile, ...]:
    if not _has_rules(request):
        return ()
    return (TemporaryFile(path=_path(request), content=json.dumps(_settings(request, settings)).encode()),)


def _has_rules(request: Request) -> bool:
    return request.permission_mode != "bypass" or request.allowed_tools is not None or bool(request.mcp_servers)


def _settings(request: Request, settings: Path | None) -> dict[str, Any]:
    included = {"$include": str(settings)} if settings else {}
    made: dict[str, Any] = {**included, "tools": _tools(request)}
    if request.mcp_servers:
        made["mcp"] = {"servers": {server.name: _server(server) for server in request.mcp_servers}}
    return made


def _tools(request: Request) -> dict[str, Any]:
    if request.allowed_tools is not None:  # only the empty list gets here
        return {"deny": ["*"]}
    if request.permission_mode == "bypass":
        return {}
    denied = [*_BEYOND_FILES, *(_WRITING if request.permission_mode == "ask" else ())]
    inside = {"workspaceOnly": True}
    return {"deny": denied, "fs": inside, "exec": {"applyPatch": inside}, "elevated": {"enabled": False}}


def _server(server: McpServer) -> dict[str, Any]:
    command, *arguments = server.command
    return {"command": command, "args": arguments, "env": server.environment}


def _path(request: Request) -> str:
    if not request.run_directory:
        raise Invalid("This run needs a directory for its files.", field="run_directory")
    return str(Path(request.run_directory) / "openclaw.json")
