"""The dialogue with an interactive Claude Code in a PTY. One conversation serves many instructions.

Pure: bytes in, events out. Made by `claude.py`. Which source tells what (2.1.329):
hooks: session, prompts, tools and their results, permission boxes, the end of an answer (Stop) or its failure
(StopFailure). Transcript: text, thinking, retries, tokens, interruption, results of refused tools.
Screen: first-start dialogs, and the interruptions that neither hook nor transcript tells.
A tool's call or result that two sources tell is given once, by whichever comes first.
"""

from __future__ import annotations

from typing import Any

from . import claude_failures as failures
from . import claude_permissions as permissions
from .claude_messages import call, result_text
from .claude_questions import ClaudeQuestions
from .claude_screen import ClaudeScreen
from .claude_transcript import ClaudeTranscript, Interrupted
from .jsonl import object_of
from .model import (
    AnswerFinished,
    AnyAgentEvent,
    Failure,
    Outcome,
    PromptSubmitted,
    Request,
    SessionStarted,
    TextBlock,
    ToolCall,
    ToolResult,
    UsageReported,
    Warned,
)
from .port import Exit, Source
from .typing_in import paste, plain_instruction


class ClaudeTerminal:
    """Without hooks it never learns that an answer is complete.

    A turn is open from an instruction to its end; `finish(None)` gives its outcome."""

    title = "Claude Code"

    def __init__(self, request: Request) -> None:
        self._resume = request.resume
        self._transcript = ClaudeTranscript()
        self._screen = ClaudeScreen()
        self._questions = ClaudeQuestions(self.title)
        self._native_id: str | None = None
        self._open = bool(request.prompt)  # the first instruction stands in argv
        self._prompt = request.prompt
        self._text = ""
        self._failure: Failure | None = None
        self._seen: set[tuple[str, str]] = set()  # calls and results that were told
        self._told: list[str] = []  # final texts told by Stop, whose lines in the transcript come later

    def start(self) -> bytes:
        return b""

    def send(self, text: str) -> bytes:
        self._begin()
        return paste(plain_instruction(text))

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        """What the hook prints that waits; the box in the terminal goes away by itself. Empty: left to the box."""
        asked = self._questions.find(question_id)
        if asked is None or not option:
            return b""
        decided = permissions.decision(option, asked.tool, asked.input, note)
        self._questions.answered(question_id, allowed=decided["behavior"] == "allow")
        return permissions.hook_reply(decided)

    def feed(self, source: Source, data: bytes) -> list[AnyAgentEvent]:
        if source == "hook":
            return self._hook(object_of(data) or {})
        if source == "transcript":
            return [event for line in self._transcript.feed(data) for event in self._line(line)]
        if source == "screen":
            self._screen.feed(data)
            return self._look()
        return []

    def finish(self, exit: Exit | None) -> Outcome:
        failure = self._failure
        if exit is not None and (self._open or self._native_id is None):
            failure = self._left(exit)
        # The line with the last answer's tokens may come after Stop: half a sum is worse than none.
        usage = None if self._told else self._transcript.usage()
        outcome = Outcome(text="" if failure else self._text, native_id=self._native_id, usage=usage, failure=failure)
        self._text, self._failure = "", None
        return outcome

    # --- the turn ------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._open = True
        self._text, self._failure = "", None
        self._screen.begin()

    def _end(self, text: str, failure: Failure | None = None) -> list[AnyAgentEvent]:
        """The answer is complete, has failed or was interrupted. A second signal of one end says nothing."""
        if not self._open:
            return []
        self._open, self._text, self._failure = False, text, failure
        return [*self._questions.close_all(), AnswerFinished(text=text)]

    def _interrupted(self) -> list[AnyAgentEvent]:
        return self._end("", Failure(kind="cancelled", message=f"{self.title} was interrupted."))

    def _left(self, exit: Exit) -> Failure:
        """Why the CLI ended with a turn open. Its last words are on the screen, unless it has worked."""
        if exit.code == 0:
            return Failure(kind="cancelled", message=f"{self.title} was closed before it had answered.")
        return failures.of_exit(exit, "" if self._screen.worked else self._screen.words(), self.title)

    # --- hooks ---------------------------------------------------------------------------------

    def _hook(self, hook: dict[str, Any]) -> list[AnyAgentEvent]:
        match hook.get("hook_event_name"):
            case "SessionStart":
                return self._started(hook)
            case "UserPromptSubmit":
                return self._prompted(hook)
            case "PreToolUse":
                return self._once(call(hook.get("tool_use_id"), hook.get("tool_name"), hook.get("tool_input")))
            case "PermissionRequest":
                self._screen.forget()
                return self._permission(*_tool(hook))
            case "PostToolUse" | "PostToolUseFailure" | "PermissionDenied":
                return [*self._questions.close(*_tool(hook)), *self._once(_result(hook))]
            case "Stop":
                return self._stopped(_string(hook, "last_assistant_message"))
            case "StopFailure":
                text = _string(hook, "last_assistant_message")
                return self._end("", failures.of_word(_string(hook, "error"), text, self.title))
        return []

    def _permission(self, tool: str, arguments: dict[str, Any]) -> list[AnyAgentEvent]:
        """A question to the person is answered in its own form, in the terminal."""
        offered = () if tool == permissions.QUESTION_TOOL else permissions.options(self.title, tool, arguments)
        return self._questions.ask_permission(tool, arguments, offered)

    def _started(self, hook: dict[str, Any]) -> list[AnyAgentEvent]:
        """Also after `/clear`, which begins a session with another id."""
        self._native_id = _string(hook, "session_id") or None
        model = _string(hook, "model") or None
        events = [*self._questions.close_all(), SessionStarted(native_id=self._native_id or "", model=model)]
        asked, self._resume = self._resume, None
        if asked and asked != self._native_id:
            events.append(Warned(message=f"{self.title} opened another session than the one asked for."))
        return events

    def _prompted(self, hook: dict[str, Any]) -> list[AnyAgentEvent]:
        if not self._open:  # somebody typed it into the CLI
            self._begin()
        self._prompt = _string(hook, "prompt")
        return [*self._questions.close_all(), PromptSubmitted(text=self._prompt)]

    def _stopped(self, text: str) -> list[AnyAgentEvent]:
        if not self._open:
            return []
        block: list[AnyAgentEvent] = []
        if text and text != self._text:
            self._told.append(text)
            block.append(TextBlock(text=text))
        return [*block, *self._end(text)]

    # --- transcript and screen -----------------------------------------------------------------

    def _line(self, line: AnyAgentEvent | Interrupted) -> list[AnyAgentEvent]:
        match line:
            case Interrupted():
                return self._interrupted()
            case ToolCall() | ToolResult():
                return self._once(line)
            case TextBlock(text=text):
                return self._said(line, text)
        return [line]

    def _said(self, block: TextBlock, text: str) -> list[AnyAgentEvent]:
        usage = self._transcript.usage()
        reported: list[AnyAgentEvent] = [UsageReported(usage=usage)] if usage else []
        if text.strip() in (told := [each.strip() for each in self._told]):
            del self._told[: told.index(text.strip()) + 1]
            return reported
        if self._open:
            self._text = text
        return [block, *reported]

    def _once(self, event: ToolCall | ToolResult) -> list[AnyAgentEvent]:
        key = (type(event).__name__, event.call_id)
        if key in self._seen:
            return []
        self._seen.add(key)
        return [event]

    def _look(self) -> list[AnyAgentEvent]:
        screen = self._screen
        if self._native_id is None and not screen.worked:
            dialog = screen.dialog()
            return self._questions.ask_dialog(*dialog) if dialog else []
        if self._questions:
            if screen.resumed:  # not "is busy": the box's hook may come before the title is idle
                return self._questions.close_all()
            # "No" and Esc leave an empty input box behind and tell nobody.
            return self._interrupted() if screen.shows_empty_input() else []
        return self._interrupted() if screen.shows_interruption(self._prompt) else []


def _string(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    return value if isinstance(value, str) else ""


def _tool(hook: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    arguments = hook.get("tool_input")
    return _string(hook, "tool_name") or "a tool", arguments if isinstance(arguments, dict) else {}


def _result(hook: dict[str, Any]) -> ToolResult:
    failed = hook.get("hook_event_name") != "PostToolUse"
    text = _string(hook, "error") or _string(hook, "reason") if failed else _response(hook.get("tool_response"))
    return ToolResult(call_id=_string(hook, "tool_use_id"), text=text, is_error=failed)


def _response(response: Any) -> str:
    """A tool's answer in a hook has a shape of its own for each tool; only text is shown."""
    if isinstance(response, dict):
        parts = (response.get(name) for name in ("stdout", "stderr", "content", "result", "text"))
        return "\n".join(part for part in parts if isinstance(part, str) and part)
    return result_text(response)
