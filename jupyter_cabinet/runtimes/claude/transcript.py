"""Reads what an interactive Claude Code appends to its transcript.

Text, tools, retries, tokens, interruption. Pure; used by `terminal.py`, which drops what a hook has already reported.
Feed it only the part written since the launch: after a resume the file starts with the earlier conversation. Facts:
2.1.329.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ..model import AnyAgentEvent, Retrying, TextBlock, Thinking, ToolCall, ToolResult, Usage
from ..shared.messages.content_blocks import blocks, text_of
from ..shared.messages.json_lines import JsonLines
from ..shared.messages.json_values import count, milliseconds, summed
from .messages import events_of, usage_of

INTERRUPTED = "[Request interrupted by user"  # of a line whose role is `user`


class Interrupted(msgspec.Struct, frozen=True):
    """The person has interrupted the answer."""


class ClaudeTranscript:
    """The state of one growing transcript file."""

    def __init__(self) -> None:
        self._lines = JsonLines()
        self._tokens: dict[str, Usage] = {}  # by message: several lines repeat the usage of one

    def feed(self, data: bytes) -> Iterator[AnyAgentEvent | Interrupted]:
        """Return the events for new bytes of the file, in the order of its lines. Chunks may end anywhere."""
        for line in self._lines.feed(data):
            if isinstance(line, dict) and not line.get("isSidechain"):
                yield from self._read(line)

    def usage(self) -> Usage | None:
        """Return the tokens since the last prompt in the file."""
        return summed(self._tokens.values())

    def _read(self, line: dict[str, Any]) -> Iterator[AnyAgentEvent | Interrupted]:
        message = line.get("message")
        kind = line.get("type")
        if kind == "system" and line.get("subtype") == "api_error":
            yield _retrying(line)
        elif kind == "assistant" and isinstance(message, dict) and not line.get("isApiErrorMessage"):
            yield from self._assistant(message)
        elif kind == "user" and isinstance(message, dict) and not line.get("isMeta"):
            yield from self._user(message)

    def _assistant(self, message: dict[str, Any]) -> Iterator[AnyAgentEvent]:
        if isinstance(message.get("usage"), dict):
            self._tokens[str(message.get("id"))] = usage_of(message["usage"])
        for block in blocks(message.get("content")):
            for event in events_of(block):
                if isinstance(event, TextBlock | Thinking | ToolCall):
                    yield event

    def _user(self, message: dict[str, Any]) -> Iterator[AnyAgentEvent | Interrupted]:
        for block in blocks(message.get("content")):
            if block.get("type") == "tool_result":
                yield from (event for event in events_of(block) if isinstance(event, ToolResult))
            elif text_of(block).startswith(INTERRUPTED):
                yield Interrupted()
            else:
                self._tokens.clear()  # a new prompt starts here, even if its hook came earlier


def _retrying(line: dict[str, Any]) -> Retrying:
    error = line.get("error")
    reason = error.get("formatted") if isinstance(error, dict) else None
    return Retrying(
        attempt=count(line.get("retryAttempt")) or 1,
        max_attempts=count(line.get("maxRetries")) or None,
        delay_seconds=milliseconds(line.get("retryInMs")),
        reason=reason if isinstance(reason, str) else "",
    )
