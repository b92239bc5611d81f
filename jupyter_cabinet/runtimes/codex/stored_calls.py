"""Reads the tool calls and results in Codex's stored sessions, with the names and inputs that `messages.py` reports.

Pure; called by `stored_sessions.py`. Facts: 0.169.0, and the forms that older versions have written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from ..model import ToolCall
from ..session_entries import Entry
from ..shared.messages.content_blocks import RESULT_CHARACTERS, blocks, call, text_of
from ..shared.messages.json_values import inner, string
from .messages import CHANGE, SEARCH, change_of_files, started

_SHELLS = ("exec_command", "shell", "shell_command", "local_shell", "container.exec")
_PATCHES = re.compile(r"\bapply_?patch\b")
_PATCH = re.compile(r"\*\*\* Begin Patch.*?(?:\*\*\* End Patch|$)", re.DOTALL)
_PATCHED = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", re.MULTILINE)
# Before the output of a command or of a tool. It differs each time, so equal results would look different.
_HEADER = re.compile(
    r"(?:(?:Chunk ID|Wall time|Exit code|Process|Original token count|Total output lines)\b[^\n]*\n)+Output:\n?"
)
_EXIT_CODE = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d+)$", re.MULTILINE)
_FAILURES = (
    *("apply_patch verification failed", "exec_command failed", "execution error:", "failed to parse function"),
    *("tool call error:", "unsupported call:", "unsupported custom tool call:", "aborted"),
)


def called(kind: str, payload: dict[str, Any]) -> ToolCall | None:
    """Return the call that a response item is, or None. A command that applies a patch becomes a change of files."""
    id, name, namespace = payload.get("call_id") or payload.get("id"), string(payload, "name"), payload.get("namespace")
    if kind == "local_shell_call":
        return _shell(id, inner(payload, "action").get("command"))
    if kind == "custom_tool_call":
        text = string(payload, "input")
        return _patch(id, text) if name == CHANGE else call(id, name, {"input": text})
    if kind == "web_search_call":
        action = inner(payload, "action")
        return call(id, SEARCH, {"query": string(action, "query") or string(action, "url")})
    if kind not in ("function_call", "tool_search_call"):
        return None
    arguments = _decoded(payload.get("arguments"))
    if name in _SHELLS:
        return _shell(id, arguments.get("cmd") or arguments.get("command"))
    if name == CHANGE:
        return _patch(id, string(arguments, "input"))
    if isinstance(namespace, str) and namespace.startswith("mcp__"):
        name = f"{namespace.removesuffix('__')}__{name}"
    return call(id, name or kind.removesuffix("_call"), arguments)


def _shell(id: Any, command: Any) -> ToolCall | None:
    """Return the call of a command, or of the change of files that Codex recognises in a command."""
    found = started({"type": "command_execution", "id": id, "command": command})
    text = string(found.input, "command") if found else ""
    patch = _PATCH.search("\n".join(map(str, command)) if isinstance(command, list) else text)
    return _patch(id, patch[0]) if patch and _PATCHES.search(text) else found


def _patch(id: Any, patch: str) -> ToolCall:
    """Return the call that `messages.py` reports, and the patch: otherwise two changes of one file look the same."""
    return change_of_files(id, map(str.strip, _PATCHED.findall(patch)), patch=patch)


def _decoded(arguments: Any) -> dict[str, Any]:
    """Return the object that is written as JSON in a string; the string itself if it is none."""
    if not isinstance(arguments, str):
        return arguments if isinstance(arguments, dict) else {}
    try:
        found = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {"input": arguments} if arguments else {}


def results(payload: dict[str, Any]) -> Iterator[Entry]:
    """Yield the images of a call's result, then the result without its header.

    Older versions have written it as JSON.
    """
    output = payload.get("output")
    content = output.get("content") if isinstance(output, dict) else output
    yield from (each for block in blocks(content) for each in attached(block))
    text = "\n".join(filter(None, map(text_of, blocks(content))))
    old = _decoded(text) if text.startswith('{"output":') and '"exit_code":' in text else {}
    header = _HEADER.match(text)
    code = _EXIT_CODE.search(header[0]) if header else None
    failed = (
        code[1] != "0" if code else bool(inner(old, "metadata").get("exit_code")) or text.startswith(_FAILURES)
    ) or inner(payload, "output").get("success") is False
    text = string(old, "output") if old else text[header.end() :] if header else text
    yield Entry(
        id="", kind="tool_result", call_id=string(payload, "call_id"), text=text[:RESULT_CHARACTERS], is_error=failed
    )


def attached(block: dict[str, Any]) -> Iterator[Entry]:
    """Yield the image that a block of content is, if it is one: its type or address."""
    if block.get("type") == "input_image":
        address = string(block, "image_url")
        name = address[5:].partition(";")[0] if address.startswith("data:") else address
        yield Entry(id="", kind="attachment", text=name or "image")
