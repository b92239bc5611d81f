"""Reads the parts that the messages of most CLIs share: blocks of content, a tool call in one line.

Pure; used by the readers of streams and transcripts. No input raises an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model import ToolCall

SUMMARY_CHARACTERS = 200
RESULT_CHARACTERS = 20_000  # of a tool's output in an event; the CLI's transcript has the whole output

# The argument that says most about a call, in this order.
_MAIN_ARGUMENTS = (
    "command",
    "file_path",
    "filePath",  # opencode
    "notebook_path",
    "path",
    "pattern",
    "url",
    "query",
    "description",
    "prompt",
)


def blocks(content: Any) -> Iterator[dict[str, Any]]:
    """Yield the blocks of a message's content; a plain string is one text block. What is no object is left out."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def call(call_id: Any, tool: Any, arguments: Any) -> ToolCall:
    """Return a tool call, whatever types the CLI's values have."""
    known = arguments if isinstance(arguments, dict) else {}
    return ToolCall(call_id=str(call_id or ""), tool=str(tool or "tool"), summary=summary(known), input=known)


def summary(arguments: dict[str, Any]) -> str:
    """Return the main argument in one line, cut to `SUMMARY_CHARACTERS`; empty if there is none."""
    for name in _MAIN_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value:
            return " ".join(value.split())[:SUMMARY_CHARACTERS]
    return ""


def result_text(content: Any) -> str:
    """Return a tool's output as text, cut to `RESULT_CHARACTERS`; empty if it has no text."""
    return "\n".join(filter(None, map(text_of, blocks(content))))[:RESULT_CHARACTERS]


def text_of(block: dict[str, Any]) -> str:
    """Return the text of a block; empty if it has none."""
    text = block.get("text")
    return text if isinstance(text, str) else ""
