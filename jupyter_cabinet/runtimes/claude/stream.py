"""The dialogue with headless Claude Code (`-p --output-format stream-json`).

Its lines become events, its end an outcome. Pure: no process, no clock. Made by `runtime.py`; failures are named by
`failures.py`. In the mode `ask` it continues over stdin, by the control protocol: the instruction is a message, and
each permission is a request that waits for a line (`questions.py`). Facts: 2.1.329.
"""

from __future__ import annotations

import json
from typing import Any

from ..model import (
    AnswerFinished,
    AnyAgentEvent,
    Failure,
    Outcome,
    QuestionAnswered,
    QuestionAsked,
    Request,
    Retrying,
    SessionStarted,
    TextDelta,
    ToolResult,
    Usage,
    UsageReported,
    Warned,
)
from ..port import Exit
from ..shared.instruction_escaping import plain_instruction
from ..shared.messages.content_blocks import blocks
from ..shared.messages.json_stream import JsonStream
from ..shared.messages.json_values import count, dollars, milliseconds, string
from ..shared.screens.open_questions import question_for_tool
from . import failures, questions
from .messages import events_of, usage_of


class ClaudeStream(JsonStream):
    """One headless run. Only a `result` without `is_error` means success; an exit code never does."""

    title = "Claude Code"
    takes_system_text = True
    tools = questions.TOOLS

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._result: dict[str, Any] | None = None
        self._last_refused = False  # whether the last tool that returned a result had been denied
        self._denied: dict[str, str] = {}  # call id → tool
        self._asked: dict[str, QuestionAsked] = {}  # open questions, by the id of the CLI's request
        self._calls: dict[str, str] = {}  # question → call
        self._refused_by_person: set[str] = set()  # calls for which a denial is no failure
        self._outbox = b""

    # --- over stdin --------------------------------------------------------------------------

    def start(self) -> bytes:
        if not asks(self._request):
            return b""
        prompt = {"role": "user", "content": plain_instruction(self._request.prompt)}
        lines: list[dict[str, Any]] = [
            {"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}},
            {"type": "user", "message": prompt},
        ]
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    def outgoing(self) -> bytes | None:
        piece, self._outbox = self._outbox, b""
        return piece if piece or self._result is None else None

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        asked = self._asked.pop(question_id, None)
        if asked is None:
            return b""
        decided = questions.decision(option, asked, note)
        if decided["behavior"] == "deny":
            self._refused_by_person.add(self._calls.get(question_id, ""))
        return questions.control_reply(question_id, decided)

    def _control(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        question_id, request = string(line, "request_id"), line.get("request")
        if question_id in self._asked:  # an answer to the question that was shown must not allow something else
            return []
        if not isinstance(request, dict) or request.get("subtype") != "can_use_tool":
            self._outbox += questions.control_refusal(question_id)
            return []
        tool, arguments = string(request, "tool_name") or "a tool", request.get("input")
        known = arguments if isinstance(arguments, dict) else {}
        asks = questions.asked_of(tool, known, self.tools)
        offered = questions.options(self.title, tool, known, asks)
        asked = question_for_tool(self.title, question_id, tool, known, asks, offered)
        self._asked[question_id] = asked
        self._calls[question_id] = string(request, "tool_use_id")
        return [asked]

    def _withdrawn(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        gone = self._asked.pop(string(line, "request_id"), None)
        return [QuestionAnswered(question_id=gone.question_id)] if gone else []

    # --- how it ends ---------------------------------------------------------------------------

    def finish(self, exit: Exit | None) -> Outcome:
        for line in self._lines.flush():  # a process that was stopped leaves half a line
            self._read(line)
        result = self._result
        if result is None:
            failure = failures.of_exit(exit or Exit(), self.stderr, self.title)
            return Outcome(native_id=self.native_id, failure=failure)
        text = result.get("result")
        return Outcome(
            text=text if isinstance(text, str) and result.get("is_error") is not True else "",
            native_id=self.native_id,
            usage=_usage(result),
            cost_usd=self._cost(result),
            session_cost_usd=_dollars(result),
            failure=self._failure(result),
        )

    def _failure(self, result: dict[str, Any]) -> Failure | None:
        if result.get("is_error") is not False:
            return failures.of_result(result, self.title)
        listed = blocks(result.get("permission_denials"))
        denied = [
            string(each, "tool_name") for each in listed if each.get("tool_use_id") not in self._refused_by_person
        ]
        # If the work was done in another way after a denial, the run succeeded. If the last tool was denied, it failed,
        # whatever the model claims.
        if denied and (self._last_refused or not self._denied):
            return failures.of_denials(denied, self.title)
        return None

    def _cost(self, result: dict[str, Any]) -> float | None:
        """`total_cost_usd` counts the whole session, including earlier processes (2.1.329)."""
        total, before = _dollars(result), self._request.session_cost_before_usd
        if total is None or self._request.resume is None:
            return total
        return None if before is None else max(0.0, total - before)

    # --- what it says --------------------------------------------------------------------------

    def read_line(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        session = line.get("session_id")
        if isinstance(session, str) and session:
            self.native_id = session
        match line.get("type"):
            case "system":
                return self._system(line)
            case "stream_event":
                return _deltas(line)
            case "assistant" | "user":
                return self._message(line)
            case "result":
                return self._ended(line)
            case "control_request":
                return self._control(line)
            case "control_cancel_request":
                return self._withdrawn(line)
        return []

    def _system(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        match line.get("subtype"):
            case "init":
                return self._started(line)
            case "api_retry":
                return [_retrying(line)]
            case "permission_denied":
                tool = str(line.get("tool_name", "a tool"))
                self._denied[str(line.get("tool_use_id"))] = tool
                return [Warned(message=f"{self.title} was not allowed to use {tool}.")]
        return []

    def _started(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        servers = [s for s in blocks(line.get("mcp_servers")) if s.get("status") == "failed"]
        started = SessionStarted(
            native_id=self.native_id or "",
            model=_text(line.get("model")),
            version=_text(line.get("claude_code_version")),
            failed_tool_servers=tuple(str(server.get("name")) for server in servers),
        )
        asked = self._request.resume
        if asked and asked != self.native_id:  # not trusted: the CLI may have started a new session
            return [started, Warned(message=f"{self.title} opened a different session than requested.")]
        return [started]

    def _message(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        message = line.get("message")
        if line.get("parent_tool_use_id") or not isinstance(message, dict):  # messages of a sub-agent
            return []
        found = [event for block in blocks(message.get("content")) for event in events_of(block)]
        if line.get("type") == "user":  # our own prompt is not news, but results are
            found = [event for event in found if isinstance(event, ToolResult)]
        for event in found:
            if isinstance(event, ToolResult):
                self._last_refused = event.call_id in self._denied
        return found

    def _ended(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        self._result = line
        usage = _usage(line)
        told: list[AnyAgentEvent] = [UsageReported(usage=usage, cost_usd=self._cost(line))] if usage else []
        text = line.get("result")
        good = line.get("is_error") is False and isinstance(text, str)
        return [*told, AnswerFinished(text=text if good and isinstance(text, str) else "")]


def asks(request: Request) -> bool:
    """Return whether a headless run asks somebody: then it continues over stdin."""
    return request.mode == "headless" and request.permission_mode == "ask"


def _deltas(line: dict[str, Any]) -> list[AnyAgentEvent]:
    event = line.get("event")
    delta = event.get("delta") if isinstance(event, dict) else None
    if line.get("parent_tool_use_id") or not isinstance(delta, dict) or delta.get("type") != "text_delta":
        return []
    text = delta.get("text")
    return [TextDelta(text=text)] if isinstance(text, str) and text else []


def _retrying(line: dict[str, Any]) -> Retrying:
    status, error = line.get("error_status"), line.get("error")
    return Retrying(
        attempt=count(line.get("attempt")) or 1,
        max_attempts=count(line.get("max_retries")) or None,
        delay_seconds=milliseconds(line.get("retry_delay_ms")),
        reason=" ".join(str(part) for part in (status, error) if part),
    )


def _usage(result: dict[str, Any]) -> Usage | None:
    return usage_of(result["usage"]) if isinstance(result.get("usage"), dict) else None


def _dollars(result: dict[str, Any]) -> float | None:
    return dollars(result.get("total_cost_usd"))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
