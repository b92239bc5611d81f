"""The dialogue with headless Codex (`codex exec --json`): its lines become events, its end an outcome.

Pure: no process, no clock. Made by `runtime.py`; failures are named by `failures.py`. Facts: 0.169.0.
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
    Usage,
    UsageReported,
    Warned,
)
from ..port import Exit
from ..shared.messages.json_stream import JsonStream
from ..shared.messages.json_values import string
from . import failures
from .messages import kind_of, result, said, started, usage_of

_RETRYING = re.compile(r"Reconnecting\.\.\. (\d{1,6})/(\d{1,6})(?: \((.*)\))?", re.DOTALL)
# Sent for a model that Codex has no table for, which is every custom provider's. It has no consequences.
_NO_NEWS = "Model metadata for"
_TOOL_SERVER = "MCP startup failed: "


class CodexStream(JsonStream):
    """One headless run. Only `turn.completed` means success; an exit code never does."""

    title = "Codex"
    without_asking = f"{title} cannot ask without a terminal, so it may only read files."

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._total: Usage | None = None  # of the whole thread
        self._completed = False
        self._failure = ""  # the message of `turn.failed`
        self._calls: set[str] = set()

    def failed(self, exit: Exit) -> Failure | None:
        if self._completed:
            return None
        if self._failure:
            return failures.FAILURES.of_text(self._failure, self.title)
        return failures.of_exit(exit, self.stderr, self.title)

    def usage(self) -> Usage | None:
        """Return the tokens of this run; None if they are not known.

        `turn.completed` counts the whole thread, including earlier processes, so the tokens before are subtracted.
        """
        if self._total is None or not self._request.resume or self.native_id != self._request.resume:
            return self._total
        before = self._request.session_usage_before
        if before is None:
            return None
        names = Usage.__struct_fields__
        return Usage(**{name: max(0, getattr(self._total, name) - getattr(before, name)) for name in names})

    def session_usage(self) -> Usage | None:
        return self._total

    def read_stderr(self) -> list[AnyAgentEvent]:
        """Return a warning if a tool server did not start, once. Only stderr reports that, and only at the end."""
        if _TOOL_SERVER not in self.stderr:
            return []
        names = ", ".join(server.name for server in self._request.mcp_servers) or "one of its settings"
        return self.warn(_TOOL_SERVER, f"A tool server could not be started by {self.title}: {names}.")

    def read_line(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        match line.get("type"):
            case "thread.started":
                return self.started(string(line, "thread_id"))
            case "item.started" | "item.updated" | "item.completed":
                return self._item(line)
            case "error":
                return self._trouble(str(line.get("message") or ""))
            case "turn.completed":
                return self._ended(line)
            case "turn.failed":
                return self._broken(line)
        return []

    def _item(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        item = line.get("item")
        if not isinstance(item, dict):
            return []
        if kind_of(item) == "error":
            message = str(item.get("message") or "")
            return [] if message.startswith(_NO_NEWS) or not message else [Warned(message=message)]
        completed = line.get("type") == "item.completed"
        if string(item, "id") in self._calls:  # its start was already reported
            return [result(item)] if completed else []
        call = started(item)
        if call is None:
            return self._said(item) if completed else []
        self._calls.add(call.call_id)
        return [call, result(item)] if completed else [call]

    def _said(self, item: dict[str, Any]) -> list[AnyAgentEvent]:
        events = list(said(item))
        for event in events:
            if isinstance(event, TextBlock):
                self.text = event.text
        return events

    def _trouble(self, message: str) -> list[AnyAgentEvent]:
        """An `error` line ends nothing by itself: Codex may retry, or repeat it with `turn.failed`."""
        found = _RETRYING.match(message)
        if found is None:
            return []
        return [Retrying(attempt=int(found[1]), max_attempts=int(found[2]), reason=found[3] or "")]

    def _ended(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        self._completed = True
        self._total = usage_of(line.get("usage"))
        usage = self.usage()
        told: list[AnyAgentEvent] = [UsageReported(usage=usage)] if usage else []
        return [*told, AnswerFinished(text=self.text)]

    def _broken(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        error = line.get("error")
        self._failure = str(error.get("message") or "") if isinstance(error, dict) else ""
        self._failure = self._failure or "it gave no reason"
        return [AnswerFinished()]
