"""The dialogue with headless Codex (`codex exec --json`). Its lines become events, its end an outcome.

Pure: no process, no clock. Made by `codex.py`; failures are named by `codex_failures.py`. Facts: 0.169.0.
"""

from __future__ import annotations

import re
from typing import Any

from . import codex_failures as failures
from .codex_items import kind_of, result, said, started, usage_of
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
    Usage,
    UsageReported,
    Warned,
)
from .port import Exit, Source
from .system_text import told as told_of_system_text

STDERR_CHARACTERS = 4000  # the end of it, for the sentence about a crash
_RETRYING = re.compile(r"Reconnecting\.\.\. (\d{1,6})/(\d{1,6})(?: \((.*)\))?", re.DOTALL)
# A model that Codex has no table for: every custom provider's. Nothing follows from it.
_NO_NEWS = "Model metadata for"
_TOOL_SERVER = "MCP startup failed: "


class CodexStream:
    """One headless run. Only `turn.completed` is success; an exit code never is."""

    title = "Codex"

    def __init__(self, request: Request) -> None:
        self._request = request
        self._lines = JsonLines()
        self._stderr = ""
        self._native_id: str | None = None
        self._text = ""
        self._total: Usage | None = None  # of the whole thread
        self._completed = False
        self._failure = ""  # what `turn.failed` said
        self._calls: set[str] = set()
        self._warned: set[str] = set()

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
        return Outcome(
            text="" if failure else self._text,
            native_id=self._native_id,
            usage=self._usage(),
            session_usage=self._total,
            failure=failure,
        )

    def _failed(self, exit: Exit) -> Failure | None:
        if self._completed:
            return None
        if self._failure:
            return failures.of_text(self._failure, self.title)
        return failures.of_exit(exit, self._stderr, self.title)

    def _usage(self) -> Usage | None:
        """`turn.completed` counts the whole thread, also what earlier processes used."""
        if self._total is None or not self._request.resume or self._native_id != self._request.resume:
            return self._total
        before = self._request.session_usage_before
        if before is None:
            return None
        names = Usage.__struct_fields__
        return Usage(**{name: max(0, getattr(self._total, name) - getattr(before, name)) for name in names})

    def _noted(self, data: bytes) -> list[AnyAgentEvent]:
        """Nothing but stderr tells of a tool server that did not start, and only when it is over."""
        before = self._stderr
        self._stderr = (before + data.decode(errors="replace"))[-STDERR_CHARACTERS:]
        if _TOOL_SERVER not in self._stderr or _TOOL_SERVER in self._warned:
            return []
        names = ", ".join(server.name for server in self._request.mcp_servers) or "one of its settings"
        return self._warn(_TOOL_SERVER, f"A tool server could not be started by {self.title}: {names}.")

    def _read(self, line: dict[str, Any] | NotJson | Overlong) -> list[AnyAgentEvent]:
        if isinstance(line, Overlong):
            return [Warned(message=f"A line of {line.size} bytes from {self.title} was too long and was skipped.")]
        if isinstance(line, NotJson):
            what = f"{self.title} wrote something that is not JSON. It is in the run's raw output."
            return self._warn("noise", what)
        match line.get("type"):
            case "thread.started":
                return self._started(line)
            case "item.started" | "item.updated" | "item.completed":
                return self._item(line)
            case "error":
                return self._trouble(str(line.get("message") or ""))
            case "turn.completed":
                return self._ended(line)
            case "turn.failed":
                return self._broken(line)
        return []

    def _started(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        self._native_id = str(line.get("thread_id") or "") or None
        events: list[AnyAgentEvent] = [SessionStarted(native_id=self._native_id or "")]
        asked = self._request.resume
        if asked and asked != self._native_id:  # never taken on trust: it may have begun anew
            events.append(Warned(message=f"{self.title} opened another session than the one asked for."))
        if self._request.permission_mode == "ask":
            events.append(Warned(message=f"{self.title} cannot ask without a terminal, so it may only read."))
        return [*events, *told_of_system_text(self._request, self.title)]

    def _item(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        item = line.get("item")
        if not isinstance(item, dict):
            return []
        if kind_of(item) == "error":
            message = str(item.get("message") or "")
            return [] if message.startswith(_NO_NEWS) or not message else [Warned(message=message)]
        completed = line.get("type") == "item.completed"
        call = started(item)
        if call is None:
            return self._said(item) if completed else []
        events: list[AnyAgentEvent] = [] if call.call_id in self._calls else [call]
        self._calls.add(call.call_id)
        return [*events, result(item)] if completed else events

    def _said(self, item: dict[str, Any]) -> list[AnyAgentEvent]:
        events = list(said(item))
        for event in events:
            if isinstance(event, TextBlock):
                self._text = event.text
        return events

    def _trouble(self, message: str) -> list[AnyAgentEvent]:
        """An `error` line alone ends nothing: Codex may try again, or tell it again with `turn.failed`."""
        found = _RETRYING.match(message)
        if found is None:
            return []
        return [Retrying(attempt=int(found[1]), max_attempts=int(found[2]), reason=found[3] or "")]

    def _ended(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        self._completed = True
        self._total = usage_of(line.get("usage"))
        usage = self._usage()
        told: list[AnyAgentEvent] = [UsageReported(usage=usage)] if usage else []
        return [*told, AnswerFinished(text=self._text)]

    def _broken(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        error = line.get("error")
        self._failure = str(error.get("message") or "") if isinstance(error, dict) else ""
        self._failure = self._failure or "it gave no reason"
        return [AnswerFinished()]

    def _warn(self, about: str, message: str) -> list[AnyAgentEvent]:
        """Once for each thing."""
        if about in self._warned:
            return []
        self._warned.add(about)
        return [Warned(message=message)]
