"""The arguments and temporary files for starting Codex. Pure; called by `runtime.py`. Facts: 0.169.0.

No secret appears in an argument, and no text of a person is ever read as an option.
"""

from __future__ import annotations

from ...core.errors import Invalid
from ..model import McpServer, Request
from ..shared.request_checks import check_ids, check_model, check_tool_servers
from ..shared.run_files import RunFiles
from ..shared.session_ids import known_session
from ..shared.system_text import with_system_text
from ..shared.toml_text import TomlValue, toml
from .hooks import hook_override

# `--no-daemon`: otherwise the TUI copies itself into the home folder (404 MB) and leaves two servers running. The title
# shows whether it works, whatever the person has configured for it.
_TERMINAL = ("--no-daemon", "-c", 'tui.terminal_title=["activity", "project"]')


def check(request: Request) -> None:
    """Raise `Invalid` for requests that Codex would refuse or not respect."""
    check_ids(request)
    check_model(request)
    if request.allowed_tools is not None:
        raise Invalid(
            "Codex cannot be limited to a list of tools. Leave the list out, or choose another agent.",
            field="allowed_tools",
        )
    check_tool_servers(request)


def headless(request: Request, files: RunFiles) -> list[str]:
    """Return the command line. The prompt comes over stdin, which `-` denotes."""
    options = ["--json", "--skip-git-repo-check", "--color", "never", *_permissions(request), *_common(request, files)]
    told = ["resume", "--", known_session(request.resume), "-"] if request.resume else ["--", "-"]
    return ["exec", *options, *told]


def interactive(request: Request, files: RunFiles) -> list[str]:
    """Return the command line, with a first instruction behind all options. Without one the CLI opens and waits.

    May add files to `files`. Does not check the request: see `check`.
    """
    options = [*_TERMINAL, *_permissions(request), *_common(request, files)]
    if request.hook_command:
        options += ["-c", hook_override(request.hook_command)]
    first = files.add_instruction(with_system_text(request), in_file=bool(request.system))
    told = [first.text] if first else []
    if request.resume:
        return ["resume", *options, "--", known_session(request.resume), *told]
    return [*options, "--", *told] if told else options


def stdin(request: Request) -> bytes:
    """Return the whole prompt, starting with the addition to the system prompt."""
    return with_system_text(request).encode(errors="replace")


def _permissions(request: Request) -> list[str]:
    """Return the sandbox of the mode.

    In `ask`, Codex may only read and asks for the rest. Without a terminal nobody can be asked, so it may only read.
    """
    if request.permission_mode == "bypass":
        return ["--dangerously-bypass-approvals-and-sandbox"]
    if request.isolated:  # Cabinet's sandbox contains it; its own sandbox cannot be nested
        return ["-s", "danger-full-access", *(() if request.mode == "headless" else ("-a", "never"))]
    sandbox = ["-s", "workspace-write" if request.permission_mode == "edit" else "read-only"]
    return sandbox if request.mode == "headless" else [*sandbox, "-a", "on-request"]


def _common(request: Request, files: RunFiles) -> list[str]:
    argv = ["-c", "check_for_update_on_startup=false"]  # a question about an update would wait forever
    if request.model:
        argv += ["-m", request.model]
    if request.mcp_servers:
        # Wait for each, up to its timeout: since 0.147, Codex begins after a second without the tools of a slow one.
        argv += ["-c", "mcp_optional_startup_grace_ms=0"]
    for server in request.mcp_servers:
        argv += ["-c", f"mcp_servers.{server.name}={toml(_server(server, files))}"]
    return argv


def _server(server: McpServer, files: RunFiles) -> dict[str, TomlValue]:
    program, *arguments = files.add_tool_server(server)
    # "approve": without a terminal every call that needs a question fails
    return {"command": program, "args": arguments, "default_tools_approval_mode": "approve"}
