"""The dialogue with an interactive Gemini CLI in a PTY. One conversation serves many instructions.

Pure; made by `runtime.py`. What each source reports (0.61.0): the transcript reports prompts, text, tools, tokens and
errors; the window's title shows when it works, asks and has finished. It takes hooks only from its own settings. The
transcript is read before the screen: its records happened before the title changed.
"""

from __future__ import annotations

from ..model import AnyAgentEvent, Failure, PromptSubmitted, Request, TextBlock, ToolCall, ToolResult, Usage
from ..port import Exit
from ..shared.screens.terminal_turns import TerminalTurns
from . import failures
from .screen import SCREEN
from .transcript import GeminiTranscript, Notice

_QUESTION = "Gemini CLI asks for permission. Answer it in the terminal."


class GeminiTerminal(TerminalTurns):
    """If a person's settings hide the window's title, the end of an answer cannot be noticed."""

    title = "Gemini CLI"
    table = SCREEN

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self._transcript = GeminiTranscript()
        self._session = request.resume or request.session_id  # it ends if this one is not available
        self._answered = False  # whether the last record is text, with no tool after it
        self._trouble = ""  # the last error of this turn, in the CLI's own words

    def begun(self) -> None:
        self._answered = False
        self._trouble = ""

    def usage(self) -> Usage | None:
        return self._transcript.usage()

    def left(self, exit: Exit) -> Failure:
        """Return why the CLI has ended, from its screen.

        The CLI restarts when a folder is trusted, and may then find the session that it already started.
        """
        screen = self.screen
        return failures.of_exit(exit, screen.last_words() if screen.worked else screen.words(), self.title)

    def read_transcript(self, data: bytes) -> list[AnyAgentEvent]:
        return [event for line in self._transcript.feed(data) for event in self._line(line)]

    def _line(self, line: AnyAgentEvent | Notice) -> list[AnyAgentEvent]:
        match line:
            case Notice(text=text, is_error=is_error):
                self._trouble = text if is_error else self._trouble
                return []
            case PromptSubmitted(text=text):
                return self.prompted(text)
            case ToolCall() | ToolResult():
                self._answered = False
                return self.once(line)
            case TextBlock():
                self._answered = True
                return self.said(line)
        return [line]

    def read_screen(self, data: bytes) -> list[AnyAgentEvent]:
        screen = self.screen
        screen.feed(data)
        if not self.submitted and (dialog := screen.dialog()):  # even if the title says that it works
            return self.questions.ask_dialog(*dialog)
        if self.native_id is None and not (screen.typed() is not None or self.submitted):
            return []
        begun = self.started(self._session) if self.native_id is None else []
        return [*begun, *self._look()]

    def _look(self) -> list[AnyAgentEvent]:
        if self.screen.activity == "asking":
            return self.questions.ask_dialog("permission", _QUESTION)
        return self.questions.close_all() if self.screen.activity == "busy" else []

    def rested(self, seconds: float) -> list[AnyAgentEvent]:
        """Take what an unchanging screen shows. If the CLI waits for an instruction, the turn is over.

        The title also says so while the turn is being stopped.
        """
        gone = [] if self.screen.activity == "asking" else self.questions.close_dialog("permission")
        found = [*gone, *super().rested(seconds)]
        waits = self.input() in ("empty", "typed")
        return [*found, *self._ended()] if self.open and self.submitted and waits else found

    def _ended(self) -> list[AnyAgentEvent]:
        """An answer may be faster than the title. A state that only the screen shows counts once it has worked."""
        worked = self.screen.worked
        trouble = self._trouble or (worked and self.screen.trouble(self.prompt))
        if trouble:
            return self.end("", failures.FAILURES.of_text(trouble, self.title))
        if worked and self.screen.is_cancelled(self.prompt):
            return self.interrupted()
        return self.end(self.text) if self._answered else []
