"""Reads what the messages of most CLIs have in common: blocks of content, a tool's call in one line.

Pure; under the readers of streams and transcripts. Whatever comes, nothing raises.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model import ToolCall

SUMMARY_CHARACTERS = 200
RESULT_CHARACTERS = 20_000  # of a tool's output in an event; the CLI's transcript has the whole

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
    """The blocks of a message's content; a plain string is one text block."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        yield from (block for block in content if isinstance(block, dict))


def call(call_id: Any, tool: Any, arguments: Any) -> ToolCall:
    """A tool's call, whatever the types of what the CLI gave."""
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
    """The text of a block; empty where it has none."""
    text = block.get("text")
    return text if isinstance(text, str) else ""
