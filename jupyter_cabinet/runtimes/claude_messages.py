"""Reads what Claude Code's streams have in common: blocks of messages, usage, a tool's summary.

Pure. Called by `claude_stream.py` (headless) and `claude_terminal.py` (hooks, transcript).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .figures import count
from .model import AnyAgentEvent, TextBlock, Thinking, ToolCall, ToolResult, Usage

SUMMARY_CHARACTERS = 200
RESULT_CHARACTERS = 20_000  # of a tool's output in an event; the CLI's transcript has the whole

# The argument that says most about a call, in this order.
_MAIN_ARGUMENTS = (
    "command",
    "file_path",
    "notebook_path",
    "path",
    "pattern",
    "url",
    "query",
    "description",
    "prompt",
)


def blocks(content: Any) -> Iterator[dict[str, Any]]:
    """The blocks of a message's content; a plain string is one text block."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def events_of(block: dict[str, Any]) -> Iterator[AnyAgentEvent]:
    """What one block of an assistant's or a user's message means."""
    kind = block.get("type")
    if kind == "text" and text_of(block):
        yield TextBlock(text=text_of(block))
    elif kind == "thinking" and block.get("thinking"):
        yield Thinking(text=str(block["thinking"]))
    elif kind == "tool_use":
        yield call(block.get("id"), block.get("name"), block.get("input"))
    elif kind == "tool_result":
        text = result_text(block.get("content"))
        is_error = block.get("is_error") is True
        yield ToolResult(call_id=str(block.get("tool_use_id", "")), text=text, is_error=is_error)


def call(call_id: Any, tool: Any, arguments: Any) -> ToolCall:
    known = arguments if isinstance(arguments, dict) else {}
    return ToolCall(call_id=str(call_id or ""), tool=str(tool or "tool"), summary=summary(known), input=known)


def summary(arguments: dict[str, Any]) -> str:
    """The main argument in one line."""
    for name in _MAIN_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return " ".join(value.split())[:SUMMARY_CHARACTERS]
    return ""


def result_text(content: Any) -> str:
    """A tool's output as text."""
    return "\n".join(filter(None, map(text_of, blocks(content))))[:RESULT_CHARACTERS]


def text_of(block: dict[str, Any]) -> str:
    text = block.get("text")
    return text if isinstance(text, str) else ""


def usage_of(raw: Any) -> Usage:
    """Tokens as the API counts them; anything unusable is zero."""
    known = raw if isinstance(raw, dict) else {}
    return Usage(
        input_tokens=count(known.get("input_tokens")),
        output_tokens=count(known.get("output_tokens")),
        cache_read_tokens=count(known.get("cache_read_input_tokens")),
        cache_write_tokens=count(known.get("cache_creation_input_tokens")),
    )
