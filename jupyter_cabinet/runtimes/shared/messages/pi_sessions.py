"""Reads the lines of a session in pi's format, which OpenClaw also uses: a tree of entries.

Facts: pi 0.87.1, format version 3; OpenClaw 2026.9.6, version 4. Versions 1 and 2 have no tree. A line's entries form a
chain whose last entry has the line's id, because the next line names that id as its parent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...model import TextBlock, Thinking, ToolCall, ToolResult
from ...session_entries import Entry, Item, SessionFacts
from .content_blocks import blocks, text_of
from .json_values import dollars, inner, string
from .pi_messages import calls, message_of, result, said, usage_of
from .stored_lines import chained, id_after_underscore, seconds

_ATTACHED = re.compile(r'<file name="([^"\n]*)">(.*?)</file>\n?', re.DOTALL)


def read_line(position: int, line: dict[str, Any]) -> Iterator[Item]:
    """Yield what one line contains. Never raises because of content.

    `position`: where the line begins, in bytes; it becomes the entry's id if the line has none.
    """
    kind = string(line, "type")
    if kind == "session":
        forked = string(line, "parentSession")
        parent_id = id_after_underscore(Path(forked)) if forked else ""
        yield SessionFacts(native_id=string(line, "id"), cwd=string(line, "cwd"), parent_id=parent_id)
        return
    if kind == "session_info" and string(line, "name"):
        yield SessionFacts(title=string(line, "name"))
    parent = line.get("parentId")
    linear = "id" not in line
    yield from chained(
        list(_entries(kind, line)) or [Entry(id="", kind="other", text=kind)],
        id=string(line, "id") or str(position),
        at=seconds(line.get("timestamp")),
        parent=None if linear else parent if isinstance(parent, str) else "",
    )


def _entries(kind: str, line: dict[str, Any]) -> Iterator[Entry]:
    if kind == "message":
        yield from _message(message_of(line), string(line, "id"))
    elif kind in ("compaction", "branch_summary"):
        yield Entry(id="", kind="compaction" if kind == "compaction" else "other", text=string(line, "summary"))
    elif kind == "model_change":
        yield Entry(id="", kind="model_change", model=string(line, "modelId"), text=string(line, "modelId"))


def _message(message: dict[str, Any], answer: str) -> Iterator[Entry]:
    match message.get("role"):
        case "user":
            yield from _user(message)
        case "assistant":
            yield from _assistant(message, answer)
        case "toolResult":
            found = result(message.get("toolCallId"), message.get("content"), message.get("isError"))
            yield _result(found)
        case "bashExecution":  # a command that the person has typed after `!`
            yield Entry(id="", kind="user", text=f"!{string(message, 'command')}")


def _user(message: dict[str, Any]) -> Iterator[Entry]:
    content = list(blocks(message.get("content")))
    named, texts = 0, []
    for block in content:
        text = text_of(block)
        while attached := _ATTACHED.match(text):  # by `@file` on the command line
            named += not attached[2]
            yield Entry(id="", kind="attachment", text=attached[1])
            text = text[attached.end() :]
        texts += [text] if text else []
    images = [block for block in content if block.get("type") == "image"]
    for block in images[named:]:
        yield Entry(id="", kind="attachment", text=string(block, "mimeType") or "image")
    for text in texts:
        yield Entry(id="", kind="user", text=text)


def _assistant(message: dict[str, Any], answer: str) -> Iterator[Entry]:
    raw = message.get("usage")
    shared: dict[str, Any] = {"id": "", "model": string(message, "model"), "answer": answer}
    if isinstance(raw, dict):
        shared |= {"usage": usage_of(raw), "cost_usd": dollars(inner(raw, "cost").get("total")) or None}
    for event in (*said(message), *calls(message)):
        match event:
            case TextBlock():
                yield Entry(kind="assistant", text=event.text, **shared)
            case Thinking():
                yield Entry(kind="thinking", text=event.text, **shared)
            case ToolCall():
                yield Entry(kind="tool_call", call_id=event.call_id, tool=event.tool, input=event.input, **shared)
    if message.get("stopReason") == "aborted":
        yield Entry(kind="other", text="interrupted", **shared)
    elif message.get("stopReason") == "error":
        yield Entry(kind="error", text=string(message, "errorMessage") or "The model's service failed.", **shared)


def _result(found: ToolResult) -> Entry:
    return Entry(id="", kind="tool_result", call_id=found.call_id, text=found.text, is_error=found.is_error)
