"""The dialogue with headless OpenClaw (`openclaw agent exec --json`). One object at its end reports everything.

Pure: no process, no clock. Made by `runtime.py`. Facts: 2026.9.6. It reports nothing in the meantime.
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
from ..port import Exit, Source
from ..shared.messages.json_stream import JsonStream
from ..shared.messages.json_values import count, dollars, inner, string
from . import failures

HEAD_BYTES = 3  # of a line: enough to recognize a single bracket
# On stderr, in the middle of its log: the only news of a run that continues.
_RETRYING = re.compile(r"retry (\d{1,6})/(\d{1,6}) for \S+ reason=(\w+): delayMs=(\d{1,9})")


class OpenclawStream(JsonStream):
    """One headless run. Only an envelope with `ok: true` means success; an exit code never does."""

    title = "OpenClaw"
    stderr_characters = 16_000  # it writes much
    without_asking = f"{title} cannot ask without a terminal: it has only the tools that change nothing."

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._envelope: dict[str, Any] | None = None
        self._joined = OneLine()
        self._attempts = 0
        self._retry = ""  # why it retries

    def feed(self, source: Source, data: bytes) -> list[AnyAgentEvent]:
        return super().feed(source, self._joined.feed(data) if source == "stdout" else data)

    def failed(self, exit: Exit) -> Failure | None:
        if self._envelope is None and self._retry:
            return failures.of_retry(self._retry)
        if self._envelope is None:
            return failures.of_exit(exit, self.stderr)
        if self._envelope.get("ok") is True:
            return None
        if self._envelope.get("status") == "timeout":
            return Failure(kind="timeout", message=failures.OWN_LIMIT)
        return failures.of_text(string(inner(self._envelope, "error"), "message"))

    def usage(self) -> Usage | None:
        found = self._usage()
        if not found:
            return None
        return Usage(
            input_tokens=count(found.get("input")),
            output_tokens=count(found.get("output")),
            cache_read_tokens=count(found.get("cacheRead")),
            cache_write_tokens=count(found.get("cacheWrite")),
        )

    def cost_usd(self) -> float | None:
        told = dollars((self._envelope or {}).get("costUsd"))
        return dollars(inner(self._usage(), "cost").get("total")) if told is None else told

    def read_stderr(self) -> list[AnyAgentEvent]:
        events: list[AnyAgentEvent] = []
        for attempt, most, reason, delay in _RETRYING.findall(self.stderr):
            if int(attempt) > self._attempts:
                self._attempts, self._retry = int(attempt), reason
                wait = int(delay) / 1000
                events.append(
                    Retrying(attempt=self._attempts, max_attempts=int(most), delay_seconds=wait, reason=reason)
                )
        return events

    def _usage(self) -> dict[str, Any]:
        return inner(self._envelope, "usage")

    def read_line(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        if not isinstance(line.get("ok"), bool):
            return []
        self._envelope = line
        self.text = string(line, "final")
        begun = self.started(string(line, "sessionId"), string(line, "model") or None)
        block: list[AnyAgentEvent] = [TextBlock(text=self.text)] if self.text else []
        usage = self.usage()
        told: list[AnyAgentEvent] = [UsageReported(usage=usage, cost_usd=self.cost_usd())] if usage else []
        return [*begun, *_tools(line), *block, *told, AnswerFinished(text=self.text if line["ok"] else "")]


class OneLine:
    """Joins an object that is printed over many lines into one; other lines are unchanged. Chunks may end anywhere."""

    def __init__(self) -> None:
        self._inside = False
        self._head = b""  # the first bytes of the line that has not ended yet

    def feed(self, data: bytes) -> bytes:
        """Return `data` with a space in place of each line end inside the object."""
        *ended, rest = data.split(b"\n")
        made = b"".join(line + self._end(line) for line in ended)
        self._head = (self._head + rest)[:HEAD_BYTES]
        return made + rest

    def _end(self, line: bytes) -> bytes:
        head, self._head = (self._head + line)[:HEAD_BYTES], b""
        self._inside = not head.startswith(b"}") if self._inside else head.rstrip() == b"{"
        return b" " if self._inside else b"\n"


def _tools(envelope: dict[str, Any]) -> list[AnyAgentEvent]:
    """OpenClaw only reports which tools were used, and how often one failed."""
    about = inner(envelope, "toolSummary")
    if not (failed := count(about.get("failures"))):
        return []
    return [Warned(message=f"{failed} of {count(about.get('calls'))} tool calls of OpenClaw failed.")]
