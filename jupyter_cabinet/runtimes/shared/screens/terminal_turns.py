"""The turns of a CLI that is open in a PTY, from an instruction to its end: shared by the dialogues of such CLIs.

Pure: bytes in, events out. The `terminal.py` of each CLI says what a hook, a line of the transcript and the screen
mean. The turn, the questions, and duplicate reports from two sources are handled here.

A hook or a line of the transcript ends a turn at once. The screen ends one only after it has been still for a while
(`rested`), and such an end is an assumption: a later hook opens the turn again.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ...model import (
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
    Usage,
    UsageReported,
    Warned,
)
from ...port import Exit, InputState, Source
from ..instruction_escaping import paste, plain_instruction, without_open_list
from ..messages.json_lines import object_of
from ..messages.json_values import string
from ..system_text import told as told_of_system_text
from .cli_screen import CliScreen
from .open_questions import OpenQuestions
from .screen_table import ScreenTable

MEANT_SECONDS = 1.0  # after this time the screen is complete: a slow machine draws in pieces
BOX, UNSENT = "screen", "unsent"  # names of dialogs
_UNSENT = "The instruction is in {}'s input box and was not sent. Press Enter in the terminal."


class TerminalTurns:
    """A turn is open from an instruction to its end; `finish(None)` returns its outcome."""

    title = ""
    table: ClassVar[ScreenTable]  # how its screen is read
    takes_system_text = False  # whether the CLI accepts an addition to its system prompt separately
    interrupt_keys: ClassVar[bytes] = b"\x1b"
    clear_keys: ClassVar[bytes] = b"\x03"  # with text in the input box; with an empty one the key leaves the CLI

    def __init__(self, request: Request) -> None:
        self.questions = OpenQuestions(self.title)
        self.screen = CliScreen(self.table)
        self.prompt = request.prompt
        self.submitted = False  # the CLI has reported that it has the instruction of this turn
        self._assumed = False  # the last end was read from the screen
        self._interrupting = False  # its turn is being interrupted from here
        self.native_id: str | None = None
        self.open = bool(request.prompt)  # the first instruction is in argv
        self._request = request
        self._resume = request.resume
        self.text = ""  # the answer so far
        self._failure: Failure | None = None
        self._seen: set[tuple[str, str]] = set()  # calls and results that were reported
        self._told: list[str] = []  # final texts reported by a hook, whose lines in the transcript come later

    # --- for the CLIs --------------------------------------------------------------------------

    def read_hook(self, hook: dict[str, Any]) -> list[AnyAgentEvent]:
        """Take a hook's report. By default nothing, for a CLI without hooks."""
        return []

    def read_transcript(self, data: bytes) -> list[AnyAgentEvent]:
        """Return the events for new bytes of the CLI's transcript. Any chunk boundary."""
        raise NotImplementedError

    def read_screen(self, data: bytes) -> list[AnyAgentEvent]:
        """Draw the CLI's output on `screen`, and return the events that follow. Any chunk boundary."""
        raise NotImplementedError

    def begun(self) -> None:
        """Start a new instruction: earlier reports no longer count."""

    def asks(self) -> bool:
        """Return whether a question over the CLI's own channel is open."""
        return bool(self.questions)

    def usage(self) -> Usage | None:
        """Return the tokens of this turn reported so far; None if there are none."""
        raise NotImplementedError

    def session_usage(self) -> Usage | None:
        """Return the tokens of the whole session, if the CLI counts that way; else None."""
        return None

    def left(self, exit: Exit) -> Failure:
        """Return why the CLI ended with a turn open, or before its session started."""
        raise NotImplementedError

    # --- the port --------------------------------------------------------------------------------

    def start(self) -> bytes:
        return b""

    def send(self, text: str) -> bytes:
        self.prompt = text
        self.begin()
        return paste(without_open_list(plain_instruction(text)))

    def interrupt(self) -> bytes:
        """Return the keys that end the open turn. From now on an idle input box means that it has ended.

        Nothing before the session has started: the same key leaves some first-start dialogs, and the CLI.
        """
        self._interrupting = self.open
        return self.interrupt_keys if self.native_id is not None else b""

    def clear(self) -> bytes:
        return self.clear_keys

    def answer(self, question_id: str, option: str, note: str = "") -> bytes:
        """Return nothing: every question here is answered in the terminal."""
        return b""

    def feed(self, source: Source, data: bytes) -> list[AnyAgentEvent]:
        if source == "hook":
            return self.read_hook(object_of(data) or {})
        if source == "transcript":
            return self.read_transcript(data)
        return self.read_screen(data) if source == "screen" else []

    def resized(self, columns: int, rows: int) -> None:
        self.screen.grid.resize(columns, rows)

    def input(self) -> InputState:
        """Return the state of the input box; "other" under an open question, whatever the screen shows.

        An instruction that was not sent is not a question of the CLI.
        """
        asks = self.asks() and not self.questions.has_dialog(UNSENT)
        return "other" if asks else self.screen.input()

    def rested(self, seconds: float) -> list[AnyAgentEvent]:
        """Take what an unchanging screen shows; return the events.

        A dialog is a question, whether or not a hook has reported it. Without effect until the CLI's session is known.
        """
        if self.native_id is None:
            return []
        shown = self.screen.input()
        if self._interrupting and shown in ("empty", "typed") and seconds >= MEANT_SECONDS:
            return self.assume(self.interrupted())
        gone = [] if shown == "other" else self.questions.close_dialog(BOX)
        if shown != "typed" or not self.unsent():
            gone += self.questions.close_dialog(UNSENT)
        if self.asks():
            return gone
        if seconds < MEANT_SECONDS:
            return gone
        if shown == "other" and not self.screen.grid.drawing:
            return [*gone, *self.questions.ask_dialog(BOX, f"{self.title} asks a question in its terminal.")]
        if shown == "typed" and self.unsent():
            return [*gone, *self.questions.ask_dialog(UNSENT, _UNSENT.format(self.title))]
        return gone

    def unsent(self) -> bool:
        """Return whether the instruction waits in the input box for Enter."""
        return self.open and not self.submitted and self.screen.holds(self.prompt)

    def owes_text(self) -> bool:
        return bool(self._told)

    def finish(self, exit: Exit | None) -> Outcome:
        failure = self._failure
        if exit is not None and (self.open or self.native_id is None):
            failure = self._left(exit)
        # The line with the last answer's tokens may come after its hook: a partial sum is worse than none.
        usage = None if self.owes_text() else self.usage()
        outcome = Outcome(
            text="" if failure else self.text,
            native_id=self.native_id,
            usage=usage,
            session_usage=self.session_usage(),
            failure=failure,
        )
        self.text, self._failure = "", None
        return outcome

    def _left(self, exit: Exit) -> Failure:
        if exit.code == 0 and self.native_id is not None:
            return Failure(kind="cancelled", message=f"{self.title} was closed before it answered.")
        return self.left(exit)

    # --- the turn --------------------------------------------------------------------------------

    def begin(self) -> None:
        """Open a new turn. The text and the failure of the previous one are forgotten."""
        self.open, self.submitted, self._assumed = True, False, False
        self._interrupting = False
        self.text, self._failure = "", None
        self.screen.begin()
        self.begun()

    def end(self, text: str, failure: Failure | None = None) -> list[AnyAgentEvent]:
        """End the open turn: the answer is complete, has failed or was interrupted. Return its last events.

        A second signal of the same end is ignored.
        """
        if not self.open:
            return []
        self.open, self.text, self._failure = False, text, failure
        self._interrupting = False
        return [*self.questions.close_all(), AnswerFinished(text=text)]

    def interrupted(self) -> list[AnyAgentEvent]:
        """End the open turn as cancelled by a person, and return its last events; none if no turn is open."""
        return self.end("", Failure(kind="cancelled", message=f"{self.title} was interrupted."))

    def assume(self, end: list[AnyAgentEvent]) -> list[AnyAgentEvent]:
        """Return the events of an end that was read only from the screen, and remember that it is an assumption."""
        self._assumed = bool(end)
        return end

    def goes_on(self) -> list[AnyAgentEvent]:
        """Note that a hook reports work. If the turn was only assumed to have ended, open it again, as another run.

        Return the events for that; nothing otherwise.
        """
        if self.open or not self._assumed:
            return []
        self.begin()
        self.submitted = True
        warned = Warned(message=f"{self.title} continued after it seemed to be interrupted.")
        return [PromptSubmitted(text=self.prompt), warned]

    def started(self, session: str, model: str | None = None) -> list[AnyAgentEvent]:
        """Note that a session has started, also another one in the same process, and return the events.

        Closes all questions.
        """
        first = self.native_id is None
        self.native_id = session or None
        started = SessionStarted(native_id=self.native_id or "", model=model)
        events: list[AnyAgentEvent] = [*self.questions.close_all(), started]
        asked, self._resume = self._resume, None
        if asked and asked != self.native_id:
            events.append(Warned(message=f"{self.title} opened a different session than requested."))
        if first and not self.takes_system_text:
            events += told_of_system_text(self._request, self.title)
        return events

    def prompted(self, text: str) -> list[AnyAgentEvent]:
        """Note that the CLI has this instruction, ours or one that a person typed, and return the events.

        Closes all questions.
        """
        if not self.open:  # somebody typed it into the CLI
            self.begin()
        self.prompt, self.submitted = text, True
        return [*self.questions.close_all(), PromptSubmitted(text=text)]

    def stopped(self, text: str) -> list[AnyAgentEvent]:
        """End the turn, because a hook reports that the answer is complete.

        Return the events; nothing if no turn is open.
        """
        if not self.open:
            return []
        self._assumed = False
        block: list[AnyAgentEvent] = []
        if text and text != self.text:
            self._told.append(text)
            block.append(TextBlock(text=text))
        return [*block, *self.end(text)]

    def said(self, block: TextBlock) -> list[AnyAgentEvent]:
        """Return the events of a text in the transcript.

        They are the text, unless a hook has already reported it, and the tokens used so far, if they are known.
        """
        usage = self.usage()
        reported: list[AnyAgentEvent] = [UsageReported(usage=usage)] if usage else []
        if block.text.strip() in (told := [each.strip() for each in self._told]):
            del self._told[: told.index(block.text.strip()) + 1]
            return reported
        if self.open:
            self.text = block.text
        return [block, *reported]

    def is_of_another_session(self, hook: dict[str, Any]) -> bool:
        """Return whether a hook is from another session, such as one that a tool has started: it does not count."""
        session = string(hook, "session_id")
        return bool(session and self.native_id and session != self.native_id)

    def once(self, event: ToolCall | ToolResult) -> list[AnyAgentEvent]:
        """Return the event in a list; an empty list if another source has already reported it."""
        key = (type(event).__name__, event.call_id)
        if key in self._seen:
            return []
        self._seen.add(key)
        return [event]


def tool_of(hook: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return name and arguments of the tool that a hook is about; "a tool" and {} if they are missing."""
    arguments = hook.get("tool_input")
    return string(hook, "tool_name") or "a tool", arguments if isinstance(arguments, dict) else {}
