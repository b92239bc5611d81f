"""The dialogue with headless pi in its protocol with answers (`--mode rpc`): its extensions may ask a person.

Pure. The lines are those of `stream.py`, and a few more; stdin stays open until the answer is complete. Facts: 0.87.1;
its `docs/rpc.md` and `docs/rpc-extension-ui.md`.
"""

from __future__ import annotations

import json
from typing import Any

from ..model import AnswerFinished, AnyAgentEvent, Failure, QuestionAsked, Request, ToolCall, Warned
from ..port import Exit
from ..shared.messages.json_values import string
from . import failures, questions
from .messages import OWN_EXTENSION
from .stream import PiStream


class PiDialogue(PiStream):
    """One headless run that may ask. Requests that only draw something are ignored."""

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._refused = ""  # why pi rejected the prompt
        self._calls: dict[str, ToolCall] = {}
        self._methods: dict[str, str] = {}  # open questions: the method of each

    def outgoing(self) -> bytes | None:
        """Return nothing while it continues, because only answers are written; None once it is over.

        Pi leaves when its stdin is closed.
        """
        return None if self.settled or self._refused else b""

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        method = self._methods.pop(question_id, None)
        if method is None:
            return b""
        said = {"type": "extension_ui_response", "id": question_id, **questions.said(method, option, note)}
        return json.dumps(said).encode() + b"\n"

    def failed(self, exit: Exit) -> Failure | None:
        if self._refused:
            return failures.of_text(self._refused, self.title)
        return super().failed(exit)

    def read_line(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        match line.get("type"):
            case "response":
                return self._responded(line)
            case "extension_ui_request":
                return self._asked(line)
            case "extension_error":
                return [Warned(message=f"An extension of pi failed: {string(line, 'error')[:300]}")]
        events = super().read_line(line)
        self._calls |= {event.call_id: event for event in events if isinstance(event, ToolCall)}
        return events

    def _responded(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        if line.get("success") is not True and line.get("id") == "prompt":
            self._refused = string(line, "error") or "it gave no reason"
            return [AnswerFinished()]
        data = line.get("data")
        if line.get("id") != "state" or not isinstance(data, dict):
            return []
        model = data.get("model")
        return self.started(string(data, "sessionId"), string(model, "id") or None if isinstance(model, dict) else None)

    def _asked(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        question_id, method, title = string(line, "id"), string(line, "method"), string(line, "title")
        if not question_id or method not in ("select", "confirm", "input", "editor"):
            return []
        if title.startswith(OWN_EXTENSION):
            self._methods[question_id] = questions.OF_TOOL
            return [self._for_tool(question_id, title.removeprefix(OWN_EXTENSION))]
        self._methods[question_id] = method
        words = [word for word in (title, string(line, "message")) if word]
        return [
            QuestionAsked(
                question_id=question_id,
                question=" ".join(words) or f"{self.title} asks something.",
                options=questions.options(method, line.get("options")),
            )
        ]

    def _for_tool(self, question_id: str, call_id: str) -> QuestionAsked:
        call = self._calls.get(call_id) or ToolCall(call_id=call_id, tool="a tool")
        return questions.question(question_id, call.tool, call.input)
