"""What a CLI's screen shows now, and whether its empty input box has the cursor. What the CLIs' screens share.

Pure. Only what stands on the screen counts, never what went over the wire: a CLI that shows a box paints everything
anew, the prompt in its history included. The `*_screen.py` of a CLI says what its input box looks like.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from ...terminals.vt.grid import Grid
from ..port import InputState
from .screen_phrases import compact

Activity = Literal["unknown", "busy", "asking", "idle"]
PROMPT_CHARACTERS = 12  # enough of a prompt to know it again


class CliScreen:
    """The few facts of the screen. The conversation decides what they mean."""

    # Of the first start: name, phrase, question. Each blocks, and no hook fires before it is answered.
    DIALOGS: ClassVar[tuple[tuple[str, str, str], ...]] = ()

    def __init__(self) -> None:
        self.grid = Grid()
        self.activity: Activity = "unknown"
        self.worked = False  # busy at some time since `begin`
        self.resumed = False  # went on after a question in the last piece
        self._dialogs = tuple((name, compact(phrase), question) for name, phrase, question in self.DIALOGS)

    # --- for the CLIs ----------------------------------------------------------------------------

    def activity_of(self, title: str) -> Activity:
        """What a window title tells."""
        return "unknown"

    def is_busy(self) -> bool:
        """Whether it says that it works."""
        return self.activity == "busy"

    def typed(self) -> str | None:
        """What is written in the input box that has the cursor; None: no input box has it."""
        raise NotImplementedError

    # --- what is shown ---------------------------------------------------------------------------

    def begin(self) -> None:
        """A new instruction: what was seen before no longer counts."""
        self.worked = False

    def feed(self, data: bytes) -> None:
        self.resumed = False
        for title in self.grid.feed(data):
            before, self.activity = self.activity, self.activity_of(title)
            self.resumed = self.resumed or (before in ("idle", "asking") and self.activity == "busy")
            self.worked = self.worked or self.activity == "busy"
        self.worked = self.worked or self.is_busy()

    def input(self) -> InputState:
        """Half a picture is nothing to rely on: it counts as something else."""
        if self.grid.drawing:
            return "other"
        if self.is_busy():
            return "busy"
        typed = self.typed()
        if typed is None or self.activity == "asking":
            return "other"
        return "typed" if typed else "empty"

    def holds(self, prompt: str) -> bool:
        """Whether this prompt stands in the input box: it was not sent, or has come back."""
        begun = compact(prompt)[:PROMPT_CHARACTERS]
        return bool(begun) and compact(self.typed() or "").startswith(begun)

    def shows(self, phrase: str) -> bool:
        return compact(phrase) in compact(self.grid.text())

    def dialog(self) -> tuple[str, str] | None:
        """Name and question of the first-start dialog that stands lowest; none where the input box has the cursor."""
        if self.typed() is not None:
            return None
        words = compact(self.grid.text())
        places = [(words.rfind(phrase), name, text) for name, phrase, text in self._dialogs]
        place, name, text = max(places, default=(-1, "", ""))
        return (name, text) if place >= 0 else None

    def last_words(self, rows: int = 3) -> str:
        """What stands lowest: a CLI that gives up says why at its end."""
        return "\n".join([line for line in self.grid.text().splitlines() if line.strip()][-rows:])

    def words(self) -> str:
        """For the sentence about a CLI that ended before its session began."""
        return f"{self.grid.left}\n{self.grid.text()}".strip()

    # --- how input boxes look --------------------------------------------------------------------

    def between_rules(self, sign: str) -> str | None:
        """Rows between two lines across the whole screen, around the cursor; the first begins with `sign`."""
        top, bottom = self._rule(-1), self._rule(1)
        if top is None or bottom is None or not self.grid.line(top + 1).startswith(sign):
            return None
        rows = [self.grid.strong(row) for row in range(top + 1, bottom)]
        typed = "\n".join([rows[0].removeprefix(sign), *rows[1:]]).strip()
        hint = self.grid.line(top + 1).removeprefix(sign).strip()
        # a hint is faint, but for the character on which the program draws its own cursor
        return "" if len(typed) == 1 and len(hint) > 1 and self.grid.character() == typed else typed

    def is_rule(self, line: str, *, upper: bool) -> bool:
        """Whether a line across the whole screen is one of those around the input box."""
        return line == "─" * self.grid.columns

    def _rule(self, step: int) -> int | None:
        row = self.grid.y + step
        while 0 <= row < self.grid.rows:
            line = self.grid.line(row)
            if len(line) == self.grid.columns and self.is_rule(line, upper=step < 0):
                return row
            row += step
        return None
