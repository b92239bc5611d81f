"""The dialogue with headless Gemini CLI (`--output-format=stream-json`): its lines become events, its end an outcome.

Pure: no process, no clock. Made by `runtime.py`; failures are named by `failures.py`. Facts: 0.61.0.
"""

from __future__ import annotations

import re
from typing import Any

from ..model import (
    AnswerFinished,
    AnyAgentEvent,
    Failure,
    Request,
    Retrying,
    TextBlock,
    TextDelta,
    ToolResult,
    Usage,
    UsageReported,
    Warned,
)
from ..port import Exit
from ..shared.messages.content_blocks import RESULT_CHARACTERS, call
from ..shared.messages.json_stream import JsonStream
from ..shared.messages.json_values import count, string
from . import failures

_RETRYING = re.compile(r"Attempt (\d+) failed(?: with status (\d+))?[^\n]*Retrying")


class GeminiStream(JsonStream):
    """One headless run. Only a `result` with `status: success` means success; an exit code never does."""

    title = "Gemini CLI"
    stderr_characters = 16_000  # one refusal comes with a long trace
    without_asking = f"{title} cannot ask without a terminal: it has only the tools that need no question."

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._attempts = 0
        self._parts: list[str] = []  # of the text that is being written
        self._result: dict[str, Any] | None = None

    def failed(self, exit: Exit) -> Failure | None:
        if self._result is None:
            return failures.of_exit(exit, self.stderr, self.title, was_cut=self.was_cut)
        if self._result.get("status") == "success":
            return None
        error = self._result.get("error")
        told = str(error.get("message") or "") if isinstance(error, dict) else ""
        return failures.FAILURES.of_text(told, self.title, beside=self.stderr)

    def usage(self) -> Usage | None:
        return _usage(self._result or {})

    def read_stderr(self) -> list[AnyAgentEvent]:
        """Return the new retries, which are reported only on stderr, in long reports."""
        events: list[AnyAgentEvent] = []
        for attempt, status in _RETRYING.findall(self.stderr):
            if int(attempt[:6]) > self._attempts:
                self._attempts = int(attempt[:6])
                events.append(Retrying(attempt=self._attempts, reason=status))
        return events

    def read_line(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        match line.get("type"):
            case "init":
                return self.started(string(line, "session_id"), string(line, "model") or None)
            case "message":
                return self._said(line)
            case "tool_use":
                use = call(line.get("tool_id"), line.get("tool_name"), line.get("parameters"))
                return [*self._whole(), use]
            case "tool_result":
                return [_result(line)]
            case "error":
                return [Warned(message=str(line.get("message") or f"{self.title} reported an error."))]
            case "result":
                return self._ended(line)
        return []

    def _said(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        text = string(line, "content")
        if line.get("role") != "assistant" or not text:
            return []
        self._parts.append(text)
        return [TextDelta(text=text)] if line.get("delta") is True else self._whole()

    def _whole(self) -> list[AnyAgentEvent]:
        """Return the text since the last tool as one block. Nothing else marks where a text ends."""
        if not self._parts:
            return []
        self.text = "".join(self._parts)
        self._parts.clear()
        return [TextBlock(text=self.text)]

    def _ended(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        block = self._whole()
        self._result = line
        usage = self.usage()
        told: list[AnyAgentEvent] = [UsageReported(usage=usage)] if usage else []
        return [*block, *told, AnswerFinished(text=self.text if line.get("status") == "success" else "")]


def _result(line: dict[str, Any]) -> ToolResult:
    failed = line.get("status") != "success"
    return ToolResult(call_id=string(line, "tool_id"), text=string(line, "output")[:RESULT_CHARACTERS], is_error=failed)


def _usage(result: dict[str, Any]) -> Usage | None:
    stats = result.get("stats")
    if not isinstance(stats, dict):
        return None
    cached = count(stats.get("cached"))
    return Usage(
        input_tokens=max(0, count(stats.get("input_tokens")) - cached),
        output_tokens=count(stats.get("output_tokens")),
        cache_read_tokens=cached,
    )
