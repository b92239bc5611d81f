"""Reads one item of Codex's stream or transcript: text, thought, command, change, tool.

Pure; called by `stream.py` (headless) and `transcript.py`. Facts: 0.169.0. The two spell the same item differently
(`command_execution`, `CommandExecution`), so names are compared without case and underscores.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ..model import AnyAgentEvent, TextBlock, Thinking, ToolCall, ToolResult, Usage
from ..shared.messages.content_blocks import RESULT_CHARACTERS, blocks, call, summary
from ..shared.messages.json_values import count

# The port's own names for items that each of Codex's outputs names differently.
_IN_SHELL = re.compile(r"\S+ -l?c ")
COMMAND, CHANGE, SEARCH = "Bash", "apply_patch", "web_search"


def kind_of(item: dict[str, Any]) -> str:
    """Return the kind of an item, without case and underscores."""
    return str(item.get("type", "")).replace("_", "").lower()


def started(item: dict[str, Any]) -> ToolCall | None:
    """Return the tool call that an item is, or None."""
    match kind_of(item):
        case "commandexecution":
            return call(item.get("id"), COMMAND, {"command": _command(item.get("command"))})
        case "filechange":
            return change_of_files(item.get("id"), _paths(item.get("changes")))
        case "mcptoolcall":
            tool = f"mcp__{item.get('server')}__{item.get('tool')}"
            return call(item.get("id"), tool, item.get("arguments"))
        case "websearch":
            return call(item.get("id"), SEARCH, {"query": item.get("query")})
    return None


def change_of_files(id: Any, paths: Iterable[str], **more: Any) -> ToolCall:
    """Return the call of a patch. Its input has a list of paths, because a name may contain any separator."""
    found = list(dict.fromkeys(paths))
    made = call(id, CHANGE, {"paths": found, **more})
    return msgspec.structs.replace(made, summary=summary({"path": ", ".join(found)}))


def result(item: dict[str, Any]) -> ToolResult:
    """Return the result of a call that has ended. Long output is cut to `RESULT_CHARACTERS`."""
    failed = item.get("status") in ("failed", "declined") or bool(item.get("error"))
    output = item.get("aggregated_output")
    text = output if isinstance(output, str) else _told(item.get("error") or item.get("result"))
    return ToolResult(call_id=str(item.get("id") or ""), text=text[:RESULT_CHARACTERS], is_error=failed)


def said(item: dict[str, Any]) -> Iterator[AnyAgentEvent]:
    """Yield the text or the thought that an item is; nothing for other items."""
    text = _told(item.get("text") or item.get("content") or item.get("summary_text"))
    if kind_of(item) == "agentmessage" and text:
        yield TextBlock(text=text)
    elif kind_of(item) == "reasoning" and text:
        yield Thinking(text=text)


def usage_of(raw: Any) -> Usage | None:
    """Return the tokens without cached input, which Codex includes; None if `raw` is no object."""
    if not isinstance(raw, dict):
        return None
    cached = count(raw.get("cached_input_tokens"))
    return Usage(
        input_tokens=max(0, count(raw.get("input_tokens")) - cached),
        output_tokens=count(raw.get("output_tokens")),
        cache_read_tokens=cached,
        cache_write_tokens=count(raw.get("cache_write_input_tokens")),
    )


def _command(command: Any) -> str:
    """Return the command without the shell around it: `/bin/bash -lc '…'`."""
    if isinstance(command, list):
        words = [str(word) for word in command]
        return words[2] if len(words) == 3 and words[1] in ("-lc", "-c") else shlex.join(words)
    line = str(command or "")
    found = _IN_SHELL.match(line)
    return _unquoted(line[found.end() :]) or line if found else line


def _unquoted(text: str) -> str:
    """Return the single shell word in `text`, or "" if it is not one.

    shlex reads every character, so it comes last.
    """
    quote, inside = text[:1], text[1:-1]
    if quote in ("'", '"') and text.endswith(quote) and not any(each in inside for each in (quote, "\\")):
        return inside
    try:
        words = shlex.split(text)
    except ValueError:
        return ""
    return words[0] if len(words) == 1 else ""


def _paths(changes: Any) -> list[str]:
    found = changes if isinstance(changes, dict) else [change.get("path") for change in blocks(changes)]
    return [path for path in found if isinstance(path, str) and path]


def _told(value: Any) -> str:
    """Return text in any of the shapes that Codex uses."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _told(value.get("message") or value.get("content") or value.get("text"))
    if isinstance(value, list):
        return "\n".join(filter(None, map(_told, value)))
    return ""
