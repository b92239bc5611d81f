"""The dialogue with an interactive opencode in a PTY. One conversation serves many instructions.

Pure; made by `runtime.py`. What each source reports (1.18.33): our plugin's hooks report everything that happens in a
session; the screen shows that the CLI takes input, before a session starts. There is no transcript to read: its store
is a database.
"""

from __future__ import annotations

from typing import Any

import msgspec

from ..model import (
    AnswerOverruled,
    AnyAgentEvent,
    Failure,
    Outcome,
    QuestionAnswered,
    QuestionAsked,
    Request,
    Retrying,
    TextBlock,
    Thinking,
    Usage,
)
from ..port import Exit
from ..shared.messages.json_values import inner, string
from ..shared.question_hook import DENY
from ..shared.screens.terminal_turns import TerminalTurns
from . import failures
from .messages import Steps, retrying, tool_events
from .questions import REJECT, question, reply
from .screen import SCREEN


class OpencodeTerminal(TerminalTurns):
    """Without hooks it only notices that the CLI takes input."""

    title = "opencode"
    table = SCREEN
    takes_system_text = True

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._steps = Steps()
        self._children: set[str] = set()  # sessions of agents that the agent has started
        self._prompts: set[str] = set()  # ids of messages of the person
        self._asked: dict[str, QuestionAsked] = {}
        self._settled: set[str] = set()  # answered questions: their hook may come late
        self._given: dict[str, bool] = {}  # whether the answer given here allows, by the question
        self._error: dict[str, Any] = {}

    def begun(self) -> None:
        self._steps, self._error = Steps(), {}

    def asks(self) -> bool:
        return bool(self._asked) or super().asks()

    def usage(self) -> Usage | None:
        return self._steps.usage

    def finish(self, exit: Exit | None) -> Outcome:
        return msgspec.structs.replace(super().finish(exit), cost_usd=self._steps.cost_usd)

    def left(self, exit: Exit) -> Failure:
        if self.native_id is not None:
            return failures.of_exit(exit, "")
        return failures.of_error(self._error) if self._error else failures.of_exit(exit, self.screen.words())

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        """Return what the waiting hook prints. The dialog in the terminal then closes. Empty: the dialog decides."""
        said = reply(option, note) if question_id in self._asked else b""
        if said:
            del self._asked[question_id]
            self._settled.add(question_id)
            self._given[question_id] = option != DENY
        return said

    def read_transcript(self, data: bytes) -> list[AnyAgentEvent]:
        return []

    def read_screen(self, data: bytes) -> list[AnyAgentEvent]:
        self.screen.feed(data)
        if self.native_id is not None or self.open or not self.screen.is_ready():
            return []
        # opened without an instruction: a new session starts with its first one
        return self.started(self._request.resume or "")

    def read_hook(self, hook: dict[str, Any]) -> list[AnyAgentEvent]:
        if hook.get("hook_event_name") == "PermissionRequest":
            return self._question(inner(inner(hook, "event"), "properties"))
        events = hook.get("events")
        told = [each for each in events if isinstance(each, dict)] if isinstance(events, list) else []
        return [found for each in told for found in self._event(string(each, "type"), inner(each, "properties"))]

    def _event(self, kind: str, properties: dict[str, Any]) -> list[AnyAgentEvent]:
        if kind.startswith("permission."):
            return self._replied(string(properties, "requestID"), string(properties, "reply"))
        session = string(properties, "sessionID")
        if kind == "session.created":
            return self._created(session, inner(properties, "info"))
        if not session or session in self._children or (self.open and self.native_id not in (None, session)):
            return []
        # the error of a session that the CLI no longer has is reported too, which does not make it a session
        known = session == self.native_id or kind == "session.error"
        begun = [] if known else self.started(session)
        return [*begun, *self._of_session(kind, properties)]

    def _created(self, session: str, info: dict[str, Any]) -> list[AnyAgentEvent]:
        if info.get("parentID"):
            self._children.add(session)
            return []
        return self.started(session, string(inner(info, "model"), "id") or None)

    def _of_session(self, kind: str, properties: dict[str, Any]) -> list[AnyAgentEvent]:
        match kind:
            case "message.updated":
                self._prompts.add(string(inner(properties, "info"), "id"))
            case "message.part.updated":
                return self._part(inner(properties, "part"))
            case "session.error":
                self._error = inner(properties, "error")
            case "session.status":
                return self._status(inner(properties, "status"))
            case "question.asked":
                return self.questions.ask_dialog("question", f"{self.title} asks you something in the terminal.")
            case "question.replied" | "question.rejected":
                return self.questions.close_all()
        return []

    def _part(self, part: dict[str, Any]) -> list[AnyAgentEvent]:
        match part.get("type"):
            case "text":
                return self._text(part, string(part, "text"))
            case "reasoning" if text := string(part, "text"):
                return [Thinking(text=text)]
            case "tool":
                found = tool_events(part)
                self._steps.saw(found)
                return [event for each in found for event in self.once(each)]
            case "step-finish":
                self._steps.add(part)
        return []

    def _text(self, part: dict[str, Any], text: str) -> list[AnyAgentEvent]:
        message = string(part, "messageID")
        if message not in self._prompts:
            return self.said(TextBlock(text=text)) if text else []
        self._prompts.discard(message)
        if part.get("synthetic") is True:  # the CLI's own words
            return []
        return self.prompted(text)

    def _status(self, status: dict[str, Any]) -> list[AnyAgentEvent]:
        attempt, reason = retrying(status)
        if attempt:
            return [Retrying(attempt=attempt, reason=reason)]
        # the end of a turn is reported twice: the second may come when the next turn has started
        rests = status.get("type") == "idle" and (self.submitted or bool(self._error))
        return self._rested() if rests and self.open else []

    def _rested(self) -> list[AnyAgentEvent]:
        gone = [event for question in list(self._asked) for event in self._answered(question)]
        if self._error:
            return [*gone, *self.end("", failures.of_error(self._error))]
        if self._steps.finished(self.text):
            return [*gone, *self.end(self.text)]
        failure = failures.of_reason(self._steps.reason, refused=self._steps.refused, in_terminal=True)
        return [*gone, *self.end("", failure)]

    def _question(self, properties: dict[str, Any]) -> list[AnyAgentEvent]:
        asked = question(properties)
        if asked.question_id in self._settled:
            return []
        self._asked[asked.question_id] = asked
        return [asked]

    def _replied(self, question_id: str, reply: str) -> list[AnyAgentEvent]:
        """opencode takes the first answer and reports where it came from: from here, or from its own dialog."""
        allowed, given = reply != REJECT, self._given.pop(question_id, None)
        if reply and given is not None and given != allowed:
            return [AnswerOverruled(question_id=question_id, done=allowed)]
        return self._answered(question_id)

    def _answered(self, question_id: str) -> list[AnyAgentEvent]:
        self._settled.add(question_id)
        gone = self._asked.pop(question_id, None)
        return [QuestionAnswered(question_id=question_id)] if gone else []
