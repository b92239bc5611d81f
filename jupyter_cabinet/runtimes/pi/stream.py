"""The dialogue with headless pi (`--mode json`): its lines become events, its end an outcome.

Pure: no process, no clock. Made by `runtime.py`; failures are named by `failures.py`; `rpc_stream.py` extends it for
runs that may ask a person. Facts: 0.87.1.
"""

from __future__ import annotations

from typing import Any

from ..model import (
    AnswerFinished,
    AnyAgentEvent,
    Failure,
    Request,
    Retrying,
    TextBlock,
    TextDelta,
    Usage,
    UsageReported,
)
from ..port import Exit
from ..shared.messages.content_blocks import call
from ..shared.messages.json_stream import JsonStream
from ..shared.messages.json_values import count, string
from ..shared.messages.pi_messages import message_of, result, said
from . import failures
from .messages import Tokens


class PiStream(JsonStream):
    """A run succeeded if its last turn has no error and `agent_settled` follows; an exit code never means success."""

    title = "pi"
    takes_system_text = True

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._tokens = Tokens()
        self._stop, self._error = "", ""  # of the last turn
        self.settled = False

    def usage(self) -> Usage | None:
        return self._tokens.usage()

    def cost_usd(self) -> float | None:
        return self._tokens.cost_usd()

    def failed(self, exit: Exit) -> Failure | None:
        if self.settled and self._stop:
            return failures.of_stop(self._stop, self._error, self.title)
        # SIGTERM cut the answer off: that is not the service's fault
        if self._stop in ("error", "length"):
            return failures.of_stop(self._stop, self._error, self.title)
        return failures.of_exit(exit, self.stderr, self.title)

    def read_line(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        match line.get("type"):
            case "session":
                return self.started(string(line, "id"))
            case "message_update":
                return _delta(line.get("assistantMessageEvent"))
            case "message_end":
                return self._message(message_of(line))
            case "tool_execution_start":
                return [call(line.get("toolCallId"), line.get("toolName"), line.get("args"))]
            case "tool_execution_end":
                given = line.get("result")
                content = given.get("content") if isinstance(given, dict) else None
                return [result(line.get("toolCallId"), content, line.get("isError"))]
            case "turn_end":
                message = message_of(line)
                self._stop, self._error = string(message, "stopReason"), string(message, "errorMessage")
            case "auto_retry_start":
                return [_retrying(line)]
            case "agent_settled":
                return self._ended()
        return []

    def _message(self, message: dict[str, Any]) -> list[AnyAgentEvent]:
        if message.get("role") != "assistant":  # our own prompt is no news, and results came before
            return []
        self._tokens.add(message)
        events = list(said(message))
        texts = [event.text for event in events if isinstance(event, TextBlock)]
        self.text = "\n".join(texts) or self.text
        return [*events]

    def _ended(self) -> list[AnyAgentEvent]:
        self.settled = True
        usage = self.usage()
        told: list[AnyAgentEvent] = [UsageReported(usage=usage, cost_usd=self.cost_usd())] if usage else []
        failed = failures.of_stop(self._stop, self._error, self.title)
        return [*told, AnswerFinished(text="" if failed else self.text)]


def _delta(event: Any) -> list[AnyAgentEvent]:
    if not isinstance(event, dict) or event.get("type") != "text_delta" or not string(event, "delta"):
        return []
    return [TextDelta(text=string(event, "delta"))]


def _retrying(line: dict[str, Any]) -> Retrying:
    delay = count(line.get("delayMs"))
    return Retrying(
        attempt=count(line.get("attempt")) or 1,
        max_attempts=count(line.get("maxAttempts")) or None,
        delay_seconds=delay / 1000 if delay else None,
        reason=string(line, "errorMessage")[:300],
    )
