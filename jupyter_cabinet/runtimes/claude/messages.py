"""Reads the blocks of Claude Code's messages and its token counts. Pure.

`shared/messages/content_blocks.py` has the parts that other CLIs share. Called by `stream.py` (headless) and
`transcript.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model import AnyAgentEvent, TextBlock, Thinking, ToolResult, Usage
from ..shared.messages.content_blocks import call, result_text, text_of
from ..shared.messages.json_values import count


def events_of(block: dict[str, Any]) -> Iterator[AnyAgentEvent]:
    """Yield the event for one block of an assistant's or a user's message; nothing for other or empty blocks."""
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


def usage_of(raw: Any) -> Usage:
    """Return the tokens as the API counts them; invalid values count as zero."""
    known = raw if isinstance(raw, dict) else {}
    return Usage(
        input_tokens=count(known.get("input_tokens")),
        output_tokens=count(known.get("output_tokens")),
        cache_read_tokens=count(known.get("cache_read_input_tokens")),
        cache_write_tokens=count(known.get("cache_creation_input_tokens")),
    )
