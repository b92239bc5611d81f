"""Reads the parts that pi's stream and its transcript share: messages, tokens, cost. Pure. Facts: 0.87.1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model import AnyAgentEvent, TextBlock, Thinking, ToolCall, ToolResult, Usage
from ..shared.content_blocks import blocks, call, result_text, text_of
from ..shared.json_values import count, dollars, inner, string, summed

OWN_EXTENSION = "JUPYTER_CABINET_PI "  # the start of our extension's questions


class Tokens:
    """The cost of the model's answers so far. Each message reports its own share."""

    def __init__(self) -> None:
        self._usages: list[Usage] = []
        self._cost = 0.0

    def add(self, message: dict[str, Any]) -> None:
        """Add an assistant's message, with its `usage`."""
        raw = message.get("usage")
        if not isinstance(raw, dict):
            return
        self._usages.append(usage_of(raw))
        self._cost += dollars(inner(raw, "cost").get("total")) or 0

    def usage(self) -> Usage | None:
        """Return the sum over all added messages; None before the first that reported tokens."""
        return summed(self._usages)

    def cost_usd(self) -> float | None:
        """Return the cost in USD. None if it is 0, which pi reports for a model whose price it does not know."""
        return self._cost or None


def message_of(line: dict[str, Any]) -> dict[str, Any]:
    """Return the message in a line; empty if there is none."""
    return inner(line, "message")


def said(message: dict[str, Any]) -> Iterator[TextBlock | Thinking]:
    """Return text and thoughts of an assistant's message."""
    for block in blocks(message.get("content")):
        if block.get("type") == "text" and text_of(block).strip():
            yield TextBlock(text=text_of(block))
        elif block.get("type") == "thinking" and string(block, "thinking"):
            yield Thinking(text=string(block, "thinking"))


def calls(message: dict[str, Any]) -> Iterator[ToolCall]:
    """Return the tool calls in an assistant's message."""
    for block in blocks(message.get("content")):
        if block.get("type") == "toolCall":
            yield call(block.get("id"), block.get("name"), block.get("arguments"))


def result(call_id: Any, content: Any, is_error: Any) -> ToolResult:
    """Return the result of a tool call. `content`: blocks, as in a message."""
    return ToolResult(call_id=str(call_id or ""), text=result_text(content), is_error=is_error is True)


def events_of(message: dict[str, Any]) -> Iterator[AnyAgentEvent]:
    """Return the events for a message of the transcript, except the user's."""
    match message.get("role"):
        case "assistant":
            yield from said(message)
            yield from calls(message)
        case "toolResult":
            yield result(message.get("toolCallId"), message.get("content"), message.get("isError"))


def usage_of(raw: dict[str, Any]) -> Usage:
    """Return the tokens of one answer."""
    return Usage(
        input_tokens=count(raw.get("input")),
        output_tokens=count(raw.get("output")),
        cache_read_tokens=count(raw.get("cacheRead")),
        cache_write_tokens=count(raw.get("cacheWrite")),
    )
