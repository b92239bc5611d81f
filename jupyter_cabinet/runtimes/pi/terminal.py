"""The dialogue with an interactive pi in a PTY. One conversation serves many instructions.

Pure; made by `runtime.py`. What each source reports (0.87.1): our extension's hooks report the session, prompts, tools,
questions and the end; the transcript reports text, thoughts, tokens and cost; the screen shows a dialog before the
session starts.
"""

from __future__ import annotations

from typing import Any

from ..model import (
    AnswerOverruled,
    AnyAgentEvent,
    Failure,
    Outcome,
    QuestionAnswered,
    Request,
    TextBlock,
    ToolCall,
    ToolResult,
    Usage,
)
from ..port import Exit
from ..shared.messages.content_blocks import RESULT_CHARACTERS, call
from ..shared.messages.json_lines import JsonLines
from ..shared.messages.json_values import string
from ..shared.messages.pi_messages import message_of
from ..shared.question_hook import DENY
from ..shared.screens.terminal_turns import TerminalTurns, tool_of
from . import failures
from .messages import Tokens, events_of
from .questions import granted, question
from .screen import SCREEN


class PiTerminal(TerminalTurns):
    """Without hooks it only notices the screen's dialogs."""

    title = "pi"
    table = SCREEN
    takes_system_text = True

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._lines = JsonLines()
        self._tokens = Tokens()
        self._asked: set[str] = set()  # open questions about tools
        self._given: dict[str, bool] = {}  # whether the answer given here allows, by the question

    def asks(self) -> bool:
        return bool(self._asked) or super().asks()

    def usage(self) -> Usage | None:
        return self._tokens.usage()

    def finish(self, exit: Exit | None) -> Outcome:
        outcome = super().finish(exit)
        if outcome.usage is None:
            return outcome
        return Outcome(
            text=outcome.text,
            native_id=outcome.native_id,
            usage=outcome.usage,
            cost_usd=self._tokens.cost_usd(),
            failure=outcome.failure,
        )

    def left(self, exit: Exit) -> Failure:
        return failures.of_exit(exit, self.screen.words() if self.native_id is None else "", self.title)

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        """Return what the waiting hook prints. The dialog then closes. Empty: the dialog decides."""
        if not option or question_id not in self._asked:
            return b""
        self._asked.discard(question_id)
        self._given[question_id] = option != DENY
        return granted(option, note).encode(errors="replace")

    def read_hook(self, hook: dict[str, Any]) -> list[AnyAgentEvent]:
        match hook.get("hook_event_name"):
            case "SessionStart":
                return [*self._closed(), *self.started(string(hook, "session_id"), string(hook, "model") or None)]
            case "UserPromptSubmit":
                return [*self._closed(), *self.prompted(string(hook, "prompt"))]
            case "PreToolUse":
                return self.once(call(hook.get("tool_use_id"), hook.get("tool_name"), hook.get("tool_input")))
            case "PermissionRequest":
                question_id = string(hook, "tool_use_id")
                self._asked.add(question_id)
                return [question(question_id, *tool_of(hook), in_terminal=True)]
            case "PermissionAnswered":
                return self._answered(string(hook, "tool_use_id"), string(hook, "answer"))
            case "PostToolUse":
                return self.once(_result(hook))
            case "Stop":
                return [*self._closed(), *self._stopped(hook)]
        return []

    def _answered(self, question_id: str, answer: str) -> list[AnyAgentEvent]:
        """The extension takes the first answer and reports where it came from: from here, or from the dialog."""
        allowed, given = not answer.startswith(DENY), self._given.pop(question_id, None)
        if answer and given is not None and given != allowed:
            return [AnswerOverruled(question_id=question_id, done=allowed)]
        return self._closed(question_id)

    def _closed(self, question_id: str | None = None) -> list[AnyAgentEvent]:
        """Close this question, or all of them."""
        gone = sorted(self._asked if question_id is None else self._asked & {question_id})
        self._asked -= set(gone)
        return [QuestionAnswered(question_id=each) for each in gone]

    def _stopped(self, hook: dict[str, Any]) -> list[AnyAgentEvent]:
        failure = failures.of_stop(string(hook, "stop_reason"), string(hook, "error"), self.title)
        return self.end("", failure) if failure else self.stopped(string(hook, "last_assistant_message"))

    def read_transcript(self, data: bytes) -> list[AnyAgentEvent]:
        found = []
        for line in self._lines.feed(data):
            if isinstance(line, dict) and line.get("type") == "message":
                found += self._line(message_of(line))
        return found

    def _line(self, message: dict[str, Any]) -> list[AnyAgentEvent]:
        if message.get("role") == "user":
            self._tokens = Tokens()  # what follows belongs to this prompt
        if message.get("role") == "assistant":
            self._tokens.add(message)
        found: list[AnyAgentEvent] = []
        for event in events_of(message):
            match event:
                case TextBlock():
                    found += self.said(event)
                case ToolCall() | ToolResult():
                    found += self.once(event)
                case _:
                    found.append(event)
        return found

    def read_screen(self, data: bytes) -> list[AnyAgentEvent]:
        self.screen.feed(data)
        if self.native_id is None:
            dialog = self.screen.dialog()
            return self.questions.ask_dialog(*dialog) if dialog else []
        return []

    def rested(self, seconds: float) -> list[AnyAgentEvent]:
        found = super().rested(seconds)
        refusal = self.screen.refusal() if self.open and not self.submitted else ""
        return [*found, *self.end("", failures.of_text(refusal, self.title))] if refusal else found


def _result(hook: dict[str, Any]) -> ToolResult:
    return ToolResult(
        call_id=string(hook, "tool_use_id"),
        text=string(hook, "tool_response")[:RESULT_CHARACTERS],
        is_error=hook.get("is_error") is True,
    )
