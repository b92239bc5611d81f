"""The arguments, settings and files for starting OpenClaw. Pure; called by `runtime.py`. Facts: 2026.9.6.

`agent exec` takes the prompt from stdin. A run's rules are in its own settings file, which includes the person's.
OpenClaw adds its lists to theirs, and what they deny stays denied. So a run can remove tools but never add any.
"""

from __future__ import annotations

from typing import Any

from ...core.errors import Invalid
from ..model import McpServer, Request
from ..shared.request_checks import check_model_of_provider, check_tool_servers
from ..shared.run_files import RunFiles
from ..shared.system_text import with_system_text

# The watchdog ends a run; OpenClaw's own limit would be 600 s.
LIMIT_SECONDS = 7 * 24 * 3600
# Tools that reach beyond the folder's files: the shell, other sessions and machines, messages, settings, schedules.
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
    """Raise `Invalid` for requests that OpenClaw would refuse or not respect."""
    if request.mode != "headless":
        raise Invalid("OpenClaw only runs without a terminal. Choose another agent, or a headless run.", field="mode")
    if request.resume is not None:
        raise Invalid("OpenClaw cannot continue a session in your folder. Start a new one.", field="resume")
    check_model_of_provider(request, "OpenClaw")
    if request.allowed_tools:
        raise Invalid(
            "OpenClaw cannot be limited to a list of tools. Leave the list out, or choose another agent.",
            field="allowed_tools",
        )
    check_tool_servers(request)
    if request.allowed_tools is not None and request.mcp_servers:
        # an allowlist would be added to the person's own, and a rule that denies everything also denies these
        raise Invalid(
            "OpenClaw without its own tools cannot use a tool server. Give it its tools, or choose another agent.",
            field="mcp_servers",
        )


def headless(request: Request, files: RunFiles, included: str) -> list[str]:
    """Return the command line; the prompt comes over stdin.

    `included`: the path of the person's own settings; empty if they have none.
    """
    argv = ["agent", "exec", "--json", "--message-file=-", f"--cwd={request.cwd}", f"--timeout={LIMIT_SECONDS}"]
    if request.model:
        argv.append(f"--model={request.model}")
    if has_rules(request):
        argv.append(f"--config={files.add_json('openclaw.json', _settings(request, included))}")
    return argv


def stdin(request: Request) -> bytes:
    """Return the whole prompt, starting with the addition to the system prompt."""
    return with_system_text(request).encode(errors="replace")


def has_rules(request: Request) -> bool:
    """Return whether the run has its own settings, which include the person's."""
    return request.permission_mode != "bypass" or request.allowed_tools is not None or bool(request.mcp_servers)


def _settings(request: Request, included: str) -> dict[str, Any]:
    theirs = {"$include": included} if included else {}
    made: dict[str, Any] = {**theirs, "tools": _tools(request)}
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
