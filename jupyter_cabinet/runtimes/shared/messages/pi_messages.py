"""Reads the messages that pi and OpenClaw, which embeds pi, share: text, thoughts, tool calls, tokens. Pure.

Facts: pi 0.87.1, OpenClaw 2026.9.6.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model import TextBlock, Thinking, ToolCall, ToolResult, Usage
from .content_blocks import blocks, call, result_text, text_of
from .json_values import count, inner, string


def message_of(line: dict[str, Any]) -> dict[str, Any]:
    """Return the message in a line; empty if there is none."""
    return inner(line, "message")


def said(message: dict[str, Any]) -> Iterator[TextBlock | Thinking]:
    """Yield text and thoughts of an assistant's message, in order; empty ones are left out."""
    for block in blocks(message.get("content")):
        if block.get("type") == "text" and text_of(block).strip():
            yield TextBlock(text=text_of(block))
        elif block.get("type") == "thinking" and string(block, "thinking"):
            yield Thinking(text=string(block, "thinking"))


def calls(message: dict[str, Any]) -> Iterator[ToolCall]:
    """Yield the tool calls in an assistant's message, in order."""
    for block in blocks(message.get("content")):
        if block.get("type") == "toolCall":
            yield call(block.get("id"), block.get("name"), block.get("arguments"))


def result(call_id: Any, content: Any, is_error: Any) -> ToolResult:
    """Return the result of a tool call. `content`: blocks, as in a message."""
    return ToolResult(call_id=str(call_id or ""), text=result_text(content), is_error=is_error is True)


def usage_of(raw: dict[str, Any]) -> Usage:
    """Return the tokens of one answer."""
    return Usage(
        input_tokens=count(raw.get("input")),
        output_tokens=count(raw.get("output")),
        cache_read_tokens=count(raw.get("cacheRead")),
        cache_write_tokens=count(raw.get("cacheWrite")),
    )
