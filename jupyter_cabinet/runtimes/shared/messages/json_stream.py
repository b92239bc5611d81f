"""The parts shared by headless CLIs that write one JSON object per line: lines, stderr, warnings, the outcome.

Pure. The `stream.py` of each CLI defines what its lines mean; this module knows no CLI.
"""

from __future__ import annotations

import codecs
from typing import Any

from ...model import AnyAgentEvent, Failure, Outcome, Request, SessionStarted, Usage, Warned
from ...port import Exit, Source
from ..one_instruction import OneInstruction
from ..system_text import told as told_of_system_text
from .json_lines import JsonLines, NotJson, Overlong


class JsonStream(OneInstruction):
    """One headless run of one instruction, which is in `Launch.stdin`."""

    title = ""
    stderr_characters = 4000  # the end of stderr, for the message about a crash
    takes_system_text = False  # whether the CLI accepts an addition to its system prompt separately
    without_asking = ""  # a warning for the mode "ask", for a CLI that cannot ask without a terminal

    def __init__(self, request: Request) -> None:
        self.native_id: str | None = None
        self.text = ""  # the last complete block of the answer
        self.stderr = ""
        self.was_cut = False  # the output ended within a line
        self._request = request
        self._lines = JsonLines()
        self._stderr_text = codecs.getincrementaldecoder("utf-8")("replace")  # a character may come in two pieces
        self._warned: set[str] = set()

    # --- for the CLIs --------------------------------------------------------------------------

    def read_line(self, line: dict[str, Any]) -> list[AnyAgentEvent]:
        """Return the events for an object. Must not raise, whatever it contains."""
        raise NotImplementedError

    def read_stderr(self) -> list[AnyAgentEvent]:
        """Read more of `stderr`, and return the events.

        By default nothing, for a CLI that reports everything on stdout.
        """
        return []

    def failed(self, exit: Exit) -> Failure | None:
        """Return why the run failed; None only if the CLI itself reported success. An exit code never does."""
        raise NotImplementedError

    def usage(self) -> Usage | None:
        """Return the tokens of this run; None if they are not known."""
        return None

    def session_usage(self) -> Usage | None:
        """Return the tokens of the whole session, if the CLI counts that way; else None."""
        return None

    def cost_usd(self) -> float | None:
        """Return the cost of this run; None if the CLI does not report it."""
        return None

    # --- the port --------------------------------------------------------------------------------

    def feed(self, source: Source, data: bytes) -> list[AnyAgentEvent]:
        if source == "stderr":
            self._keep_stderr(data)
            return self.read_stderr()
        if source != "stdout":
            return []
        return [event for line in self._lines.feed(data) for event in self._read(line)]

    def _keep_stderr(self, data: bytes, *, ended: bool = False) -> None:
        self.stderr = (self.stderr + self._stderr_text.decode(data, ended))[-self.stderr_characters :]

    def finish(self, exit: Exit | None) -> Outcome:
        self._keep_stderr(b"", ended=True)
        for line in self._lines.flush():  # a process that was stopped leaves half a line
            self.was_cut = isinstance(line, NotJson)
            self._read(line)
        failure = self.failed(exit or Exit())
        return Outcome(
            text="" if failure else self.text,
            native_id=self.native_id,
            usage=self.usage(),
            session_usage=self.session_usage(),
            cost_usd=self.cost_usd(),
            failure=failure,
        )

    # --- for both ----------------------------------------------------------------------------------

    def started(self, session: str, model: str | None = None) -> list[AnyAgentEvent]:
        """Note the session that the CLI names, and return the events, with a warning if another was requested."""
        self.native_id = session or None
        events: list[AnyAgentEvent] = [SessionStarted(native_id=session, model=model)]
        asked = self._request.resume
        if asked and asked != self.native_id:  # not trusted: the CLI may have started a new session
            events.append(Warned(message=f"{self.title} opened a different session than requested."))
        if self._request.permission_mode == "ask" and self.without_asking:
            events.append(Warned(message=self.without_asking))
        return events if self.takes_system_text else [*events, *told_of_system_text(self._request, self.title)]

    def warn(self, about: str, message: str) -> list[AnyAgentEvent]:
        """Return a warning in a list, once about each thing; an empty list if it was given already."""
        if about in self._warned:
            return []
        self._warned.add(about)
        return [Warned(message=message)]

    def _read(self, line: dict[str, Any] | NotJson | Overlong) -> list[AnyAgentEvent]:
        if isinstance(line, Overlong):
            return [Warned(message=f"A line of {line.size} bytes from {self.title} was too long and was skipped.")]
        if isinstance(line, NotJson):
            what = f"{self.title} wrote a line that is not JSON. It is in the run's raw output."
            return self.warn("noise", what)
        return self.read_line(line)
