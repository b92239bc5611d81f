"""The dialogue with an interactive Claude Code in a PTY. One conversation serves many instructions.

Pure: bytes in, events out. Made by `runtime.py`. What each source reports (2.1.329): hooks: session, prompts, tools and
their results, permission dialogs, the end of an answer (Stop) or its failure (StopFailure). Transcript: text, thinking,
retries, tokens, interruption, results of refused tools. Screen: first-start dialogs, dialogs that no hook reports, and
interruptions that neither hook nor transcript reports. If two sources report the same call or result, only the first
report counts.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ..model import AnyAgentEvent, Failure, Request, TextBlock, ToolCall, ToolResult, Usage
from ..port import Exit
from ..requested_actions import AnyAction
from ..shared.messages.content_blocks import call, result_text
from ..shared.messages.json_lines import object_of
from ..shared.messages.json_values import string
from ..shared.question_hook import hook_reply
from ..shared.screens.terminal_turns import TerminalTurns, tool_of
from . import failures, questions
from .screen import SCREEN
from .transcript import ClaudeTranscript, Interrupted

# The result of a call that was refused in Claude Code's own dialog.
REFUSED_IN_BOX = "The user doesn't want to proceed with this tool use"
_OF_THE_SESSION = ("UserPromptSubmit", "Stop", "StopFailure")
# Its own prompt after a background command has ended. The prompt names the call that started the command.
_NOTICE = re.compile(r"\s*<task-notification>.*?<tool-use-id>([^<]*)</tool-use-id>", re.DOTALL)
_BLOCKED = json.dumps({"decision": "block", "reason": "It was ended together with the turn that was stopped."}).encode()
SILENT_END_SECONDS = 5.0  # with an empty input box; a hook may be slow, and Claude Code draws while one runs


class ClaudeTerminal(TerminalTurns):
    """Without hooks, only an idle screen shows that an answer is complete, and it counts as interrupted."""

    title = "Claude Code"
    table = SCREEN
    tools = questions.TOOLS
    takes_system_text = True
    refused_in_box = REFUSED_IN_BOX

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._transcript = ClaudeTranscript()
        self._boxed = False  # whether the dialog of an open question was seen
        self._of_turn: set[str] = set()  # ids of the turn's calls
        self._ended: set[str] = set()  # ids of the calls whose work was ended
        self._calls: dict[str, AnyAction] = {}  # the action of each call without a result, by its id

    def begun(self) -> None:
        self._of_turn = set()

    def work_ends(self) -> None:
        """Mark the work of the turn's calls as ended."""
        self._ended |= self._of_turn

    def refusal(self, hook: bytes) -> bytes:
        """Return what the hook prints for a notice about ended work. Claude Code then starts no turn.

        Empty for other hooks.
        """
        told = object_of(hook) or {}
        if told.get("hook_event_name") != "UserPromptSubmit":
            return b""
        notice = _NOTICE.match(string(told, "prompt"))
        return _BLOCKED if notice and notice[1] in self._ended else b""

    def usage(self) -> Usage | None:
        return self._transcript.usage()

    def left(self, exit: Exit) -> Failure:
        """Return why the CLI has ended. The screen shows it, unless it has worked.

        Exit code 0 counts as closed by a person.
        """
        if exit.code == 0:
            return Failure(kind="cancelled", message=f"{self.title} was closed before it answered.")
        return failures.of_exit(exit, "" if self.screen.worked else self.screen.words(), self.title)

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        """Return what the waiting hook prints. The dialog in the terminal then closes.

        Empty for an unknown question and for an empty option: the dialog decides.
        """
        asked = self.questions.find(question_id)
        if asked is None or not option:
            return b""
        decided = questions.decision(option, asked, note)
        self.questions.answered(question_id, allowed=decided["behavior"] == "allow")
        return hook_reply(decided)

    # --- hooks ---------------------------------------------------------------------------------

    def read_hook(self, hook: dict[str, Any]) -> list[AnyAgentEvent]:
        if hook.get("hook_event_name") in _OF_THE_SESSION and self.is_of_another_session(hook):
            return []
        match hook.get("hook_event_name"):
            case "SessionStart":  # also after `/clear`, which starts a session with another id
                return self.started(string(hook, "session_id"), string(hook, "model") or None)
            case "UserPromptSubmit":
                return self.prompted(string(hook, "prompt"))
            case "PreToolUse":
                called = call(hook.get("tool_use_id"), hook.get("tool_name"), hook.get("tool_input"))
                self._of_turn.add(called.call_id)
                self._calls[called.call_id] = questions.asked_of(*tool_of(hook), self.tools)
                return [*self.goes_on(), *self.once(called)]
            case "PermissionRequest":
                return [*self.goes_on(), *self._question(*tool_of(hook))]
            case "PostToolUse" | "PostToolUseFailure" | "PermissionDenied":
                self._calls.pop(string(hook, "tool_use_id"), None)
                asks = questions.asked_of(*tool_of(hook), self.tools)
                if hook.get("hook_event_name") == "PermissionDenied":
                    self.questions.refused_here(asks)
                return [*self.questions.close(asks), *self.once(_result(hook))]
            case "Stop":
                return [*self.goes_on(), *self.stopped(string(hook, "last_assistant_message"))]
            case "StopFailure":
                text = string(hook, "last_assistant_message")
                failure = failures.of_word(string(hook, "error"), text, self.title)
                return [*self.goes_on(), *self.end("", failure)]
        return []

    def _question(self, tool: str, arguments: dict[str, Any]) -> list[AnyAgentEvent]:
        """A question to the person is answered in its own form, in the terminal."""
        asks = questions.asked_of(tool, arguments, self.tools)
        in_form = tool == questions.QUESTION_TOOL
        offered = () if in_form else questions.options(self.title, tool, arguments, asks)
        self._boxed = self._boxed and bool(self.questions)
        return self.questions.ask_for_tool(tool, arguments, asks, offered)

    # --- transcript and screen -----------------------------------------------------------------

    def read_transcript(self, data: bytes) -> list[AnyAgentEvent]:
        return [event for line in self._transcript.feed(data) for event in self._line(line)]

    def _line(self, line: AnyAgentEvent | Interrupted) -> list[AnyAgentEvent]:
        match line:
            case Interrupted():
                return self.interrupted()
            case ToolResult():
                return [*self._of_result(line), *self.once(line)]
            case ToolCall():
                return self.once(line)
            case TextBlock():
                return self.said(line)
        return [line]

    def _of_result(self, result: ToolResult) -> list[AnyAgentEvent]:
        """No hook reports a call that was refused, or whose turn was interrupted."""
        asks = self._calls.pop(result.call_id, None)
        if asks is None:
            return []
        if result.is_error and result.text.startswith(self.refused_in_box):
            return self.questions.refused_in_terminal(asks)
        if result.is_error:
            self.questions.refused_here(asks)
        return []

    def read_screen(self, data: bytes) -> list[AnyAgentEvent]:
        screen = self.screen
        screen.feed(data)
        if self.native_id is None and not screen.worked:
            dialog = screen.dialog()
            return self.questions.ask_dialog(*dialog) if dialog else []
        if not self.questions:
            return []
        # its dialog was there and now it works, so somebody has answered in the terminal
        if self._boxed and screen.activity == "busy":
            return self.questions.close_all()
        self._boxed = self._boxed or screen.input() == "other"
        return []

    def rested(self, seconds: float) -> list[AnyAgentEvent]:
        found = super().rested(seconds)
        if not (self.open and self.submitted and self.screen.worked):
            return found
        shown = self.screen.input()
        came_back = shown == "typed" and self.screen.holds(self.prompt)
        if came_back or (shown == "empty" and seconds >= SILENT_END_SECONDS):
            return [*found, *self.assume(self.interrupted())]
        return found


def _result(hook: dict[str, Any]) -> ToolResult:
    failed = hook.get("hook_event_name") != "PostToolUse"
    text = string(hook, "error") or string(hook, "reason") if failed else _response(hook.get("tool_response"))
    return ToolResult(call_id=string(hook, "tool_use_id"), text=text, is_error=failed)


def _response(response: Any) -> str:
    """In a hook, the result of each tool has its own structure. Only text is shown."""
    if isinstance(response, dict):
        parts = (response.get(name) for name in ("stdout", "stderr", "content", "result", "text"))
        return "\n".join(part for part in parts if isinstance(part, str) and part)
    return result_text(response)
