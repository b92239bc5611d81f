"""The dialogue with an interactive Codex in a PTY. One conversation serves many instructions.

Pure; made by `runtime.py`. What each source reports (0.169.0): hooks: session, prompts, tools and their results,
permission dialogs, the end of an answer (Stop). Transcript: text, thoughts, tokens. Screen: first-start dialogs, the
answers to dialogs, interruptions and failures, which no hook reports.
"""

from __future__ import annotations

from typing import Any

from ..model import AnyAgentEvent, Failure, Request, TextBlock, ToolCall, ToolResult, Usage
from ..port import Exit
from ..shared.messages.content_blocks import call, result_text
from ..shared.messages.json_values import string
from ..shared.question_hook import TERMINAL, hook_reply, plain_decision
from ..shared.screens.terminal_turns import TerminalTurns, tool_of
from . import failures
from .questions import OPTIONS, asked_of
from .screen import SCREEN
from .transcript import Aborted, Broken, CodexTranscript

_OF_THE_SESSION = ("UserPromptSubmit", "Stop")


class CodexTerminal(TerminalTurns):
    """Without hooks the window's title is the only sign of an end, and no text is known."""

    title = "Codex"
    table = SCREEN

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._transcript = CodexTranscript()
        self._hooked = bool(request.hook_command)
        self._turn = ""  # Codex's id of this turn: the end of the previous turn is read late, with the next hook

    def begun(self) -> None:
        self._turn = ""

    def usage(self) -> Usage | None:
        return self._transcript.usage()

    def session_usage(self) -> Usage | None:
        return self._transcript.total

    def left(self, exit: Exit) -> Failure:
        return failures.of_exit(exit, "" if self.screen.worked else self.screen.words(), self.title)

    def read_hook(self, hook: dict[str, Any]) -> list[AnyAgentEvent]:
        if hook.get("hook_event_name") in _OF_THE_SESSION and self.is_of_another_session(hook):
            return []
        match hook.get("hook_event_name"):
            case "SessionStart":
                return self.started(string(hook, "session_id"), string(hook, "model") or None)
            case "UserPromptSubmit":
                found = self.prompted(string(hook, "prompt"))
                self._turn = string(hook, "turn_id")
                return found
            case "PreToolUse":
                called = call(hook.get("tool_use_id"), hook.get("tool_name"), hook.get("tool_input"))
                return [*self.goes_on(), *self.once(called)]
            case "PermissionRequest":
                tool, arguments = tool_of(hook)
                asks = asked_of(tool, arguments)
                asked = self.questions.ask_for_tool(tool, arguments, asks, OPTIONS, in_terminal=False)
                return [*self.goes_on(), *asked]
            case "PostToolUse":
                return [*self.questions.close(asked_of(*tool_of(hook))), *self.once(_result(hook))]
            case "Stop":
                return [*self.goes_on(), *self.stopped(string(hook, "last_assistant_message"))]
        return []

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        """Take a person's answer, and return what the waiting hook prints.

        Empty if the question is not open, or if `option` is empty or `TERMINAL`: Codex then asks in its own dialog.
        Every other option than `ALLOW` denies the action. Only a refusal takes the note along.
        """
        asked = self.questions.find(question_id)
        if asked is None or option in ("", TERMINAL):
            self.questions.leave(question_id)
            return b""
        decided = plain_decision(option, asked.input, note)
        self.questions.answered(question_id, allowed=decided["behavior"] == "allow")
        decided.pop("updatedInput", None)  # it takes no notes
        return hook_reply(decided)

    def read_transcript(self, data: bytes) -> list[AnyAgentEvent]:
        return [event for line in self._transcript.feed(data) for event in self._line(line)]

    def _line(self, line: AnyAgentEvent | Aborted | Broken) -> list[AnyAgentEvent]:
        match line:
            case Aborted(turn=turn):
                return self.interrupted() if turn == self._turn else []
            case Broken(turn=turn, message=message):
                return self.end("", failures.FAILURES.of_text(message, self.title)) if turn == self._turn else []
            case ToolCall() | ToolResult():
                return self.once(line)
            case TextBlock():
                return self.said(line)
        return [line]

    def read_screen(self, data: bytes) -> list[AnyAgentEvent]:
        screen = self.screen
        screen.feed(data)
        if self.native_id is None and not screen.worked:
            dialog = screen.dialog()
            return self.questions.ask_dialog(*dialog) if dialog else []
        # while its hook waits, a question has no dialog that could be answered
        return self.questions.close_left() if screen.resumed else []

    def rested(self, seconds: float) -> list[AnyAgentEvent]:
        """Return the events of a screen on which nothing was drawn for `seconds`; possibly none.

        Beyond the base: if Codex waits for an instruction, a failure in its last rows ends the turn. Without hooks,
        waiting itself ends it.
        """
        found = super().rested(seconds)
        waits = self.screen.worked and self.screen.input() in ("empty", "typed")
        if not (self.open and waits and (self._turn or not self._hooked)):
            return found
        trouble = self.screen.trouble(self.prompt)
        if trouble:
            return [*found, *self.assume(self.end("", failures.FAILURES.of_text(trouble, self.title)))]
        return found if self._hooked else [*found, *self.end("")]


def _result(hook: dict[str, Any]) -> ToolResult:
    response = hook.get("tool_response")
    text = response if isinstance(response, str) else result_text(response)
    return ToolResult(call_id=string(hook, "tool_use_id"), text=text)
