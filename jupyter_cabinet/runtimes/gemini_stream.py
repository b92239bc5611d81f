"""The dialogue with headless Gemini CLI (`--output-format=stream-json`). Its lines become events, its end an outcome.

Pure: no process, no clock. Made by `gemini.py`; failures are named by `gemini_failures.py`. Facts: 0.61.0.
"""

from __future__ import annotations

import re
from typing import Any

from . import gemini_failures as failures
from .claude_messages import RESULT_CHARACTERS, call
from .jsonl import JsonLines, NotJson, Overlong
from .model import (
    AnswerFinished,
    AnyAgentEvent,
    Failure,
    Outcome,
    Request,
    Retrying,
    SessionStarted,
    TextBlock,
    TextDelta,
    ToolResult,
    Usage,
    UsageReported,
    Warned,
)
from .port import Exit, Source
from .system_text import told as told_of_system_text

STDERR_CHARACTERS = 16_000  # the end of it: one refusal comes with a long trace
_RETRYING = re.compile(r"Attempt (\d+) failed(?: with status (\d+))?[^\n]*Retrying")


class GeminiStream:
    """One headless run. Only a `result` with `status: success` is success; an exit code never is."""

    title = "Gemini CLI"

    def __init__(self, request: Request) -> None:
        self._request = request
        self._lines = JsonLines()
        self._stderr = ""
        self._attempts = 0
        self._native_id: str | None = None
        self._parts: list[str] = []  # of the text that is being written
        self._text = ""
        self._result: dict[str, Any] | None = None
        self._warned_of_noise = False

    def start(self) -> bytes:
        return b""

    def send(self, text: str) -> bytes:
        """Nothing: a headless run takes one instruction."""
        return b""

    def answer(self, question_id: str, option: str) -> bytes:
        """Nothing: without a terminal it asks nobody."""
        return b""

    def feed(self, source: Source, data: bytes) -> list[AnyAgentEvent]:
        if source == "stderr":
            return self._noted(data)
        if source != "stdout":
            return []
        return [event for line in self._lines.feed(data) for event in self._read(line)]

    def finish(self, exit: Exit | None) -> Outcome:
        for line in self._lines.flush():  # a process that was stopped leaves half a line
            self._read(line)
        failure = self._failed(exit or Exit())
        usage = _usage(self._result or {})
        return Outcome(text="" if failure else self._text, native_id=self._native_id, usage=usage, failure=failure)

    def _failed(self, exit: Exit) -> Failure | None:
        if self._result is None:
            return failures.of_exit(exit, self._stderr, self.title)
        if self._result.get("status") == "success":
            return None
        error = self._result.get("error")
        told = str(error.get("message") or "") if isinstance(error, dict) else ""
        return failures.of_text(told, self.title, self._stderr)

    def _noted(self, data: bytes) -> list[AnyAgentEvent]:
        """Retries are told on stderr alone, and they are long."""
        self._stderr = (self._stderr + data.decode(errors="replace"))[-STDERR_CHARACTERS:]
        events: list[AnyAgentEvent] = []
        for attempt, status in _RETRYING.findall(self._stderr):
            if int(attempt[:6]) > self._attempts:
                self._attempts = int(attempt[:6])
                events.append(Retrying(attempt=self._attempts, reason=status))
        return events

    def _read(self, line: dict[str, Any] | NotJson | Overlong) -> list[AnyAgentEvent]:
        if isinstance(line, Overlong):
            return [Warned(message=f"A line of {line.size} bytes from {self.title} was too long and was skipped.")]
        if isinstance(line, NotJson):
            return self._noise()
        match line.get("type"):
            case "init":
                return self._started(line)
            case "message":
                return self._said(line)
            case "tool_use":
                use = call(line.get("tool_id"), line.get("tool_name"), line.get("parameters"))
                return [*self._whole(), use]
            case "tool_result":
                return [_result(line)]
            case "error":
                return [Warned(message=str(line.get("message") or f"{self.title} told of an error."))]
            case "result":
                return self._ended(line)
        return []

    def _started(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        self._native_id = _string(line, "session_id") or None
        model = _string(line, "model") or None
        events: list[AnyAgentEvent] = [SessionStarted(native_id=self._native_id or "", model=model)]
        asked = self._request.resume
        if asked and asked != self._native_id:  # never taken on trust: it may have begun anew
            events.append(Warned(message=f"{self.title} opened another session than the one asked for."))
        if self._request.permission_mode == "ask":
            what = "it has only the tools that need no question"
            events.append(Warned(message=f"{self.title} cannot ask without a terminal: {what}."))
        return [*events, *told_of_system_text(self._request, self.title)]

    def _said(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        text = _string(line, "content")
        if line.get("role") != "assistant" or not text:
            return []
        self._parts.append(text)
        return [TextDelta(text=text)] if line.get("delta") is True else self._whole()

    def _whole(self) -> list[AnyAgentEvent]:
        """The text since the last tool as one block; nothing else tells where a text ends."""
        if not self._parts:
            return []
        self._text = "".join(self._parts)
        self._parts.clear()
        return [TextBlock(text=self._text)]

    def _ended(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        block = self._whole()
        self._result = line
        usage = _usage(line)
        told: list[AnyAgentEvent] = [UsageReported(usage=usage)] if usage else []
        return [*block, *told, AnswerFinished(text=self._text if line.get("status") == "success" else "")]

    def _noise(self) -> list[AnyAgentEvent]:
        if self._warned_of_noise:
            return []
        self._warned_of_noise = True
        return [Warned(message=f"{self.title} wrote something that is not JSON. It is in the run's raw output.")]


def _result(line: dict[str, Any]) -> ToolResult:
    failed = line.get("status") != "success"
    return ToolResult(
        call_id=_string(line, "tool_id"), text=_string(line, "output")[:RESULT_CHARACTERS], is_error=failed
    )


def _usage(result: dict[str, Any]) -> Usage | None:
    stats = result.get("stats")
    if not isinstance(stats, dict):
        return None
    cached = _count(stats.get("cached"))
    return Usage(
        input_tokens=max(0, _count(stats.get("input_tokens")) - cached),
        output_tokens=_count(stats.get("output_tokens")),
        cache_read_tokens=cached,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _string(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""
