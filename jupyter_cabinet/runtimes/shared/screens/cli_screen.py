"""Reads what a CLI's screen shows now: whether it works, asks, or has an empty input box with the cursor.

Pure. It knows no CLI: the `ScreenTable` of each (`screen.py`) says what to search for. Only what is on the screen
counts, never the bytes that were sent: a CLI that shows a dialog repaints everything, including the prompt in its
history. The conversation (`terminal_turns.py`) decides what it means. Answers are never read here.
"""

from __future__ import annotations

import re

from ....terminals.vt.grid import Grid
from ...port import InputState
from . import input_boxes
from .screen_phrases import compact
from .screen_table import Activity, BarredBox, FramedBox, ScreenTable

PROMPT_CHARACTERS = 12  # enough of a prompt to recognize it
LAST_ROWS = 3  # where some CLIs show that they work


class CliScreen:
    """The few facts of one screen. `grid` is what an emulator of the terminal's size shows."""

    def __init__(self, table: ScreenTable) -> None:
        self.grid = Grid()
        self.activity: Activity = "unknown"
        self.worked = False  # busy at some time since `begin`
        self.resumed = False  # continued after a question in the last chunk
        self._table = table
        self._dialogs = tuple((dialog.name, compact(dialog.phrase), dialog.question) for dialog in table.dialogs)

    def begin(self) -> None:
        """Start a new instruction: earlier observations no longer count."""
        self.worked = False

    def feed(self, data: bytes) -> None:
        """Take the CLI's output, with any chunk boundary."""
        self.resumed = False
        for title in self.grid.feed(data):
            before, self.activity = self.activity, self._activity_of(title)
            self.resumed = self.resumed or (before in ("idle", "asking") and self.activity == "busy")
            self.worked = self.worked or self.activity == "busy"
        self.worked = self.worked or self._is_busy()

    # --- the input box -----------------------------------------------------------------------------

    def input(self) -> InputState:
        """Return the state of the input box. An incompletely drawn screen is not reliable: it counts as "other"."""
        if self.grid.drawing:
            return "other"
        if self._is_busy():
            return "busy"
        typed = self.typed()
        if typed is None or self.activity == "asking":
            return "other"
        return "typed" if typed else "empty"

    def typed(self) -> str | None:
        """Return the text in the input box that has the cursor; None: no input box has it."""
        return input_boxes.typed(self.grid, self._table.box)

    def holds(self, prompt: str) -> bool:
        """Return whether this prompt is in the input box, unsent or restored. A long prompt is shown in part.

        False if it is empty.
        """
        whole, shown = compact(prompt), compact(self.typed() or "")
        begun = whole[:PROMPT_CHARACTERS]
        return bool(begun) and (shown.startswith(begun) or (len(shown) >= PROMPT_CHARACTERS and shown in whole))

    def is_ready(self) -> bool:
        """Return whether the screen says that the CLI takes input. False for a CLI that does not say so."""
        return bool(self._table.ready) and self._shows(self._table.ready)

    # --- questions and messages -------------------------------------------------------------------

    def dialog(self) -> tuple[str, str] | None:
        """Return name and question of the lowest first-start dialog; None if none or the input box has the cursor."""
        if self.typed() is not None:
            return None
        words = compact(self.grid.text())
        places = [(words.rfind(phrase), name, text) for name, phrase, text in self._dialogs]
        place, name, text = max(places, default=(-1, "", ""))
        return (name, text) if place >= 0 else None

    def refusal(self) -> str:
        """Return the phrase on the screen with which a CLI refuses to pass an instruction to a model; empty: none.

        It may be only the beginning of a message, or belong to an earlier instruction.
        """
        return next((phrase for phrase in self._table.refusals if self._shows(phrase)), "")

    def is_cancelled(self, prompt: str) -> bool:
        """Return whether the screen says below the prompt that the answer was interrupted."""
        phrase = compact(self._table.cancelled)
        return bool(phrase) and any(phrase in compact(line) for line in self._since(prompt))

    def trouble(self, prompt: str) -> str:
        """Return the last error message below the prompt; empty if there is none."""
        sought, lines = self._table.trouble, self._since(prompt)
        for place in range(len(lines) - 1, -1, -1):
            begun = re.match(sought.pattern, lines[place]) if sought else None
            if sought and begun:
                rows = [lines[place][begun.end() :], *(lines[place + 1 :] if sought.goes_on else ())]
                end = next((row for row, line in enumerate(rows) if row and not line.strip()), len(rows))
                return " ".join(line.strip() for line in rows[:end])
        return ""

    def last_words(self, rows: int = 3) -> str:
        """Return the lowest rows: a CLI that gives up prints the reason at its end."""
        return "\n".join([line for line in self.grid.text().splitlines() if line.strip()][-rows:])

    def words(self) -> str:
        """Return all text of the screen, for the message about a CLI that ended before its session started."""
        return f"{self.grid.left}\n{self.grid.text()}".strip()

    # --- how the screen is read -------------------------------------------------------------------

    def _activity_of(self, title: str) -> Activity:
        fitting = (each.activity for each in self._table.titles if re.match(each.pattern, title, re.DOTALL))
        return next(fitting, "unknown")

    def _is_busy(self) -> bool:
        busy = self._table.busy
        if self.activity == "busy" or busy is None:
            return self.activity == "busy"
        row = compact(self._busy_row())
        return compact(busy.phrase) in row or bool(busy.again and compact(busy.again) in row)

    def _busy_row(self) -> str:
        """Return the area where the CLI shows that it works.

        In a narrow terminal that may be cut off: then only the title shows it.
        """
        grid, box, busy = self.grid, self._table.box, self._table.busy
        match busy.place if busy else None:
            case "below_box" if isinstance(box, FramedBox):
                bottom = input_boxes.line_below(grid, box)
                return grid.line(bottom + 1) if bottom is not None else ""
            case "line_above_cursor":
                line = grid.line(grid.y - 1)
                return line if line.startswith("──") and line.endswith("──") else ""
            case "last_rows":
                return "".join(grid.line(row) for row in range(grid.rows - LAST_ROWS, grid.rows))
        return ""

    def _since(self, prompt: str) -> list[str]:
        """Return the rows below the prompt, or all rows if it is above the screen: earlier turns are further up."""
        lines = [self.grid.line(row) for row in range(self.grid.rows)]
        sign = "" if isinstance(self._table.box, BarredBox) else self._table.box.sign
        begun = compact(sign) + compact(prompt)[:PROMPT_CHARACTERS]
        places = [row for row, line in enumerate(lines) if compact(line).startswith(begun)]
        return lines[places[-1] + 1 :] if places else lines

    def _shows(self, phrase: str) -> bool:
        return compact(phrase) in compact(self.grid.text())
