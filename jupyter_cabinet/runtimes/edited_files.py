"""Determines which files a tool call changes, from the tables of the CLIs' adapters. Pure.

Called by `client/` and `runs/`. A CLI may also change files by a command, and nothing is known about a runtime that is
not listed here: `may_change_anything` covers both.
"""

from __future__ import annotations

from collections.abc import Mapping

from .claude import questions as claude
from .codex.messages import CHANGE
from .demo import questions as demo
from .model import ToolCall
from .pi import questions as pi
from .requested_actions import AnyAction, Change, Edit
from .shared.tool_table import CommandTool, EditTool, FetchTool, FileTool, ToolTable, asked_for

_READS = FileTool(paths=())
# CLIs whose approval requests do not use these names. Facts: gemini 0.61.0, opencode 1.18.33, pi 0.87.1.
# OpenClaw 2026.9.6 has pi's tools for files, and its own for commands, as its documentation of `exec` describes it.
_GEMINI: ToolTable = {
    "replace": EditTool(path="file_path", old="old_string", new="new_string"),
    "write_file": EditTool(path="file_path", new="content"),
    "run_shell_command": CommandTool(cwd="dir_path"),
    **dict.fromkeys(("read_file", "list_directory", "glob", "grep_search"), _READS),
    **dict.fromkeys(("google_web_search", "web_fetch"), FetchTool()),
}
_OPENCODE: ToolTable = {
    "edit": EditTool(path="filePath", old="oldString", new="newString"),
    "write": EditTool(path="filePath", new="content"),
    "bash": CommandTool(cwd="workdir"),
    **dict.fromkeys(("read", "grep", "glob", "list"), _READS),
    "webfetch": FetchTool(),
}
_PI: ToolTable = {**pi.TOOLS, **dict.fromkeys(("read", "grep", "find", "ls"), _READS)}
_OPENCLAW: ToolTable = {
    **{name: tool for name, tool in _PI.items() if name != "bash"},
    "exec": CommandTool(cwd="workdir"),
}
_TABLES: Mapping[str, ToolTable] = {
    "claude": claude.TOOLS,
    "acp-claude": claude.TOOLS,
    "codex": {"Bash": CommandTool()},
    "demo": demo.TOOLS,
    "gemini": _GEMINI,
    "opencode": _OPENCODE,
    "pi": _PI,
    "openclaw": _OPENCLAW,
}
_REPORTS_NO_CALLS = ("openclaw",)  # while it works; its stored sessions have them
# Agents behind ACP name an edit by the protocol's own kind and its path by one of these names.
_ACP, _ACP_EDIT, _ACP_PATHS = "acp-", "edit", ("path", "filePath", "file_path")


def edited_files(runtime: str, call: ToolCall) -> tuple[str, ...]:
    """Return the paths as the CLI names them; empty if the call changes none, or for an unknown tool or runtime."""
    if runtime == "codex":
        paths = call.input.get("paths") if call.tool == CHANGE else None
        return tuple(path for path in paths if isinstance(path, str) and path) if isinstance(paths, list) else ()
    known = _TABLES.get(runtime, {}).get(call.tool)
    if isinstance(known, EditTool):
        return _paths(call, known.path)
    return _paths(call, *_ACP_PATHS) if runtime.startswith(_ACP) and call.tool == _ACP_EDIT else ()


def action_of(runtime: str, call: ToolCall) -> AnyAction:
    """Return the action of a call. A tool that is not in the table of its CLI is a `ToolUse` with all arguments."""
    if runtime == "codex" and call.tool == CHANGE:
        return _codex_change(call)
    return asked_for(_TABLES.get(runtime, {}), call.tool, call.input)


def _codex_change(call: ToolCall) -> AnyAction:
    """Return the edit of one or more files; a stored session also has the patch."""
    patch = call.input.get("patch")
    changes = (Change(diff=patch),) if isinstance(patch, str) and patch else ()
    return Edit(paths=edited_files("codex", call), changes=changes)


def reports_its_calls(runtime: str) -> bool:
    """Return whether the adapter reports every tool call while the CLI works."""
    return runtime in _TABLES and runtime not in _REPORTS_NO_CALLS


def may_change_anything(runtime: str, call: ToolCall) -> bool:
    """Return whether the call may change files that it does not name: a command, or an unknown tool or runtime."""
    known = _TABLES.get(runtime, {}).get(call.tool)
    return not (isinstance(known, FetchTool | FileTool) or edited_files(runtime, call))


def _paths(call: ToolCall, *names: str) -> tuple[str, ...]:
    found = (call.input.get(name) for name in names)
    return tuple(dict.fromkeys(path for path in found if isinstance(path, str) and path))
