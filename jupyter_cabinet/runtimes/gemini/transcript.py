"""Reads what an interactive Gemini CLI appends to its transcript.

Prompts, text, thoughts, tools, tokens, errors. Pure; used by `terminal.py`. Facts: 0.61.0. The file is JSON lines: a
header, records, and changes (`$set`). A record that grows is written again completely, under the same id.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ..model import AnyAgentEvent, PromptSubmitted, TextBlock, Thinking, ToolResult, Usage
from ..shared.messages.content_blocks import RESULT_CHARACTERS, blocks, call, text_of
from ..shared.messages.json_lines import JsonLines
from ..shared.messages.json_values import count, summed

# The beginnings of messages that the CLI itself has added.
OWN_NOTES = ("<session_context>", "<hook_context>", "System: Potential loop detected.")


class Notice(msgspec.Struct, frozen=True):
    """A message of the CLI itself: an error, or information."""

    text: str
    is_error: bool


class GeminiTranscript:
    """The state of one growing transcript file."""

    def __init__(self) -> None:
        self._lines = JsonLines()
        self._told: set[str] = set()  # records whose text was already given; a rewritten file repeats them
        self._tokens: dict[str, Usage] = {}  # of this turn, by record

    def feed(self, data: bytes) -> Iterator[AnyAgentEvent | Notice]:
        """Return the events for new bytes of the file, in the order of its lines. Chunks may end anywhere."""
        for line in self._lines.feed(data):
            if isinstance(line, dict):
                yield from self._read(line)

    def usage(self) -> Usage | None:
        """Return the tokens since the last prompt in the file."""
        return summed(self._tokens.values())

    def _read(self, line: dict[str, Any]) -> Iterator[AnyAgentEvent | Notice]:
        match line.get("type"):
            case "user":
                yield from self._prompt(line)
            case "gemini":
                yield from self._answer(line)
            case "error" | "info" | "warning" as kind:
                yield Notice(_text(line.get("content")), kind == "error")

    def _prompt(self, line: dict[str, Any]) -> Iterator[AnyAgentEvent]:
        text, record = _text(line.get("content")), str(line.get("id") or "")
        if text and not text.startswith(OWN_NOTES) and record not in self._told:
            self._told |= {record} - {""}
            self._tokens.clear()
            yield PromptSubmitted(text=text)

    def _answer(self, line: dict[str, Any]) -> Iterator[AnyAgentEvent]:
        record, text = str(line.get("id")), _text(line.get("content"))
        if isinstance(line.get("tokens"), dict):
            self._tokens[record] = usage_of(line["tokens"])
        if record not in self._told:
            yield from (Thinking(text=thought_of(each)) for each in blocks(line.get("thoughts")) if thought_of(each))
            if text:
                yield TextBlock(text=text)
        self._told.add(record)
        for each in blocks(line.get("toolCalls")):
            yield call(each.get("id"), each.get("name"), each.get("args"))
            yield _result(each)


def _result(tool: dict[str, Any]) -> ToolResult:
    shown = tool.get("resultDisplay")
    text = shown if isinstance(shown, str) else output_of(tool.get("result"))
    return ToolResult(
        call_id=str(tool.get("id") or ""), text=text[:RESULT_CHARACTERS], is_error=tool.get("status") != "success"
    )


def output_of(result: Any) -> str:
    """Return the text for the model, from `[{functionResponse: {response: {output}}}]`; empty if it has none."""
    found = []
    for part in blocks(result):
        answer = part.get("functionResponse")
        response = answer.get("response") if isinstance(answer, dict) else None
        if isinstance(response, dict):
            found.append(str(response.get("output") or response.get("error") or ""))
    return "\n".join(found)


def thought_of(thought: dict[str, Any]) -> str:
    """Return subject and description of a thought as "subject: description"; empty if it has neither."""
    parts = (thought.get("subject"), thought.get("description"))
    return ": ".join(part for part in parts if isinstance(part, str) and part)


def usage_of(tokens: dict[str, Any]) -> Usage:
    """Return the tokens of one record. Gemini CLI includes cached tokens in its input."""
    cached = count(tokens.get("cached"))
    return Usage(
        input_tokens=max(0, count(tokens.get("input")) - cached),
        output_tokens=count(tokens.get("output")) + count(tokens.get("thoughts")),
        cache_read_tokens=cached,
    )


def _text(content: Any) -> str:
    return "\n".join(filter(None, map(text_of, blocks(content))))
