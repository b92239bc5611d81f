"""The visible state of a terminal: its characters in rows and columns, and the cursor. Pure.

For code that must know what a program's screen shows now, not which bytes were sent: programs repaint the same text
whenever they like. It keeps readable text: no colours, no scrollback, no line-drawing set. A fuzz test compares it with
xterm.js 5.5. Called by `runtimes/`.
"""

from __future__ import annotations

import re

from .cells import Cells
from .sequences import Scanner, Sequence
from .titles import title_of
from .widths import runs, width

COLUMNS, ROWS = 120, 30  # the default size
LARGEST = 1000  # columns or rows
_TAB = 8
# Sequences that `Scanner` skips: plain CSI, with the private ones that hide the cursor or mark a frame.
_TOKEN = re.compile(r"\x1b\[(\??)([0-9;:]*)([@-~])|([\x00-\x1f\x7f])|([^\x00-\x1f\x7f]+)")
_ALTERNATES = (47, 1047, 1049)
_FAINT, _NORMAL = 2, 22
_COLOURS = (38, 48, 58)


class Grid:
    """Feed it a PTY's bytes; any chunk boundary. `x` is `columns` where the next character wraps."""

    def __init__(self, columns: int = COLUMNS, rows: int = ROWS) -> None:
        self.columns, self.rows = columns, rows
        self._scanner = Scanner()
        self._reset()

    def _reset(self) -> None:
        self._normal = self._page = Cells(self.columns, self.rows)
        self._alternate: Cells | None = None
        self.left = ""  # the alternate screen when it was left last
        self.x = self.y = 0
        self.cursor_shown = True
        self.drawing = False  # within a frame that the program has marked (synchronized output)
        self._last = ""  # the character that the repeat sequence repeats
        self._soft_reset()

    def _soft_reset(self) -> None:
        self._top, self._bottom = 0, self.rows - 1
        self._wraps, self._inserts, self._origin = True, False, False
        self._is_faint = False
        self._page.saved = (0, 0)

    # --- its contents ------------------------------------------------------------------------------

    def line(self, row: int) -> str:
        """Return the characters of a row, without spaces at its end; empty outside."""
        return self._page.line(row)

    def character(self) -> str:
        """Return the character under the cursor."""
        return self._page.character(self.y, min(self.x, self.columns - 1))

    def text(self) -> str:
        """Return all rows, each without spaces at its end."""
        return "\n".join(self.line(row) for row in range(self.rows))

    def strong(self, row: int) -> str:
        """Return the row like `line`, with spaces for faint characters: hints that nobody has typed."""
        return self._page.strong(row)

    # --- input -------------------------------------------------------------------------------------

    def feed(self, data: bytes) -> list[str]:
        """Draw; return the window titles that were set, in order."""
        scan = self._scanner.feed(data)
        titles, place = [], 0
        for sequence in scan.sequences:
            self._plain(scan.data[place : sequence.start])
            place = sequence.end
            title = title_of(sequence)
            if title is not None:
                titles.append(title)
            else:
                self._sequence(sequence)
        self._plain(scan.data[place : scan.settled])
        return titles

    def resize(self, columns: int, rows: int) -> None:
        """Resize, to 1 to 1000 columns and rows. What does not fit is cut off; programs redraw."""
        columns, rows = (min(max(1, size), LARGEST) for size in (columns, rows))
        if (columns, rows) == (self.columns, self.rows):
            return
        gone = max(0, self.y - rows + 1)
        for page in {self._normal, self._alternate or self._normal}:
            page.resize(columns, rows, above=gone)
        self.columns, self.rows = columns, rows
        self.x, self.y = min(self.x, columns - 1), min(self.y - gone, rows - 1)
        self._top, self._bottom = 0, rows - 1

    def _plain(self, data: bytes) -> None:
        if not data:
            return
        for token in _TOKEN.finditer(data.decode(errors="replace")):
            private, parameters, final, control, text = token.groups()
            if text is not None:
                self._print(text)
                continue
            if control is not None:
                self._control(control)
            elif private:
                self._modes(_numbers(parameters), final == "h")
            else:
                self._csi(final, parameters)
            self._last = ""

    def _sequence(self, sequence: Sequence) -> None:
        """Take a sequence that `Scanner` found."""
        text = sequence.text.decode("ascii", "replace")
        if sequence.kind == "esc":
            self._escape(text)
        elif sequence.kind == "csi" and text[:1] == "?" and text[-1:] in "hl":
            self._modes(_numbers(text[1:-1]), text[-1] == "h")
        elif sequence.kind == "csi" and text == "!p":
            self._soft_reset()
        elif sequence.kind == "csi" and re.fullmatch(r"[0-9;:]*[@-~]", text):
            self._csi(text[-1], text[:-1])
        self._last = ""

    # --- characters ----------------------------------------------------------------------------

    def _print(self, text: str) -> None:
        for run, columns in runs(text):
            self._put(run, columns)

    def _put(self, text: str, columns: int) -> None:
        """Draw narrow characters, or one of so many columns."""
        if not columns:
            return
        self._last = text[-1]
        while text:
            if self.x + columns > self.columns:
                self._at_the_edge(columns)
            room = max(1, self.columns - self.x) if columns == 1 else 1
            piece, text = text[:room], text[room:]
            cells = (list(piece) if columns == 1 else [piece, ""])[: self.columns - self.x]
            self._page.write(self.y, self.x, cells, faint=self._is_faint, inserts=self._inserts)
            self.x += len(cells)

    def _at_the_edge(self, columns: int) -> None:
        """Wrap if a character of so many columns does not fit at the cursor."""
        if self._wraps:
            self.x = 0
            self._line_feed()
        else:
            self.x = max(0, self.columns - columns)

    def _control(self, control: str) -> None:
        match control:
            case "\n" | "\v" | "\f":
                self.x = min(self.x, self.columns - 1)
                self._line_feed()
            case "\r":
                self.x = 0
            case "\b":
                self.x = max(0, min(self.x, self.columns - 1) - 1)
            case "\t" if self.x < self.columns:
                self.x = min((self.x // _TAB + 1) * _TAB, self.columns - 1)

    def _escape(self, text: str) -> None:
        match text:
            case "7":
                self._page.saved = (self.x, self.y)
            case "8":
                self._restore()
            case "D":
                self._inside()
                self._line_feed()
            case "E":
                self.x = 0
                self._line_feed()
            case "M":
                self._inside()
                if self.y == self._top:
                    self._scroll(self._top, -1)
                else:
                    self.y = max(0, self.y - 1)
            case "c":
                self._reset()

    # --- control sequences -----------------------------------------------------------------------

    def _csi(self, final: str, parameters: str) -> None:
        if final == "m":
            self._look(parameters)
            return
        numbers = _numbers(parameters)
        first = numbers[0] if numbers else 0
        if final in "ABCDEFGHade`fIZ":
            self._inside()
            self._move(final, max(1, first), numbers)
        elif final in "JK":
            self._erase(final, first)
        elif final in "@PXLMST":
            self._shift(final, min(max(1, first), LARGEST))
        else:
            self._other(final, first, numbers)

    def _move(self, final: str, count: int, numbers: list[int]) -> None:
        match final:
            case "A" | "F":
                above = self.y - self._top if self.y >= self._top else self.y
                self._go(0 if final == "F" else self.x, self.y - min(count, above))
            case "B" | "E":
                below = self._bottom - self.y if self.y <= self._bottom else self.rows - 1 - self.y
                self._go(0 if final == "E" else self.x, self.y + min(count, below))
            case "C" | "a":
                self._go(self.x + count, self.y)
            case "D":
                self._go(self.x - count, self.y)
            case "G" | "`":
                self._go(count - 1, self.y)
            case "d":
                self._go(self.x, count - 1 + (self._top if self._origin else 0))
            case "e":
                self._go(self.x, self.y + count)
            case "I":
                self._go((self.x // _TAB + count) * _TAB, self.y)
            case "Z":
                self._go((-(-self.x // _TAB) - count) * _TAB, self.y)
            case _:
                column = max(1, numbers[1]) if len(numbers) > 1 else 1
                self._go(column - 1, count - 1 + (self._top if self._origin else 0))

    def _erase(self, final: str, what: int) -> None:
        if what not in (0, 1, 2):  # other numbers have no meaning here; ED 3 is about lines that left the screen
            return
        if final == "K":
            begin = 0 if what in (1, 2) else self.x
            end = self.columns if what in (0, 2) else self.x + 1
            self._page.blank(self.y, begin, end)
            return
        if what in (0, 1):
            self._erase("K", what)
        rows = {0: range(self.y + 1, self.rows), 1: range(self.y), 2: range(self.rows)}.get(what, range(0))
        for row in rows:
            self._page.blank(row, 0, self.columns)

    def _shift(self, final: str, count: int) -> None:
        match final:
            case "X":
                self._page.blank(self.y, self.x, self.x + count)
            case "S":
                self._scroll(self._top, min(count, self.rows))
            case "T":
                self._scroll(self._top, -min(count, self.rows))
            case "L" | "M" if self._top <= self.y <= self._bottom:
                self._inside()
                self._scroll(self.y, min(count, self.rows) if final == "M" else -min(count, self.rows))
                self.x = 0
            case "@" | "P":
                self._inside()
                self._page.shift(self.y, self.x, count if final == "@" else -count)

    def _other(self, final: str, first: int, numbers: list[int]) -> None:
        match final:
            case "b" if self._last:
                columns = width(self._last)
                for _ in range(min(max(1, first), self.columns * self.rows)):
                    self._put(self._last, columns)
            case "r":
                top, bottom = max(1, first), (numbers[1] if len(numbers) > 1 else 0) or self.rows
                bottom = min(bottom, self.rows)
                if top < bottom:
                    self._top, self._bottom = top - 1, bottom - 1
                    self._go(0, self._top if self._origin else 0)
            case "s":
                self._page.saved = (self.x, self.y)
            case "u":
                self._restore()
            case "h" | "l" if 4 in numbers:
                self._inserts = final == "h"

    def _modes(self, numbers: list[int], on: bool) -> None:
        for mode in numbers:
            if mode == 7:
                self._wraps = on
            elif mode == 6:
                self._origin = on
                self._go(0, self._top if on else 0)
            elif mode == 25:
                self.cursor_shown = on
            elif mode == 2026:
                self.drawing = on
            elif mode == 1048 or (mode == 1049 and on):
                self._escape("7" if on else "8")
            if mode in _ALTERNATES:
                self._switch(on)
                if mode == 1049 and not on:
                    self._restore()

    def _look(self, parameters: str) -> None:
        """Follow only whether text is faint."""
        values = iter(parameters.split(";"))
        for value in values:
            number = int(value) if value.isdigit() else 0 if not value else -1
            if number in _COLOURS:
                kind = next(values, "")
                for _ in range({"5": 1, "2": 3}.get(kind, 0)):
                    next(values, "")
            elif number in (0, _NORMAL):
                self._is_faint = False
            elif number == _FAINT:
                self._is_faint = True

    # --- the pages -----------------------------------------------------------------------------

    def _switch(self, alternate: bool) -> None:
        if alternate and self._alternate is None:
            self._alternate = self._page = Cells(self.columns, self.rows)
        elif not alternate and self._alternate is not None:
            self.left = self.text()
            self._alternate, self._page = None, self._normal

    def _restore(self) -> None:
        self.x, self.y = self._page.saved
        self._go(self.x, self.y)

    def _inside(self) -> None:
        self._go(self.x, self.y)

    def _go(self, x: int, y: int) -> None:
        top, bottom = (self._top, self._bottom) if self._origin else (0, self.rows - 1)
        self.x, self.y = min(max(0, x), self.columns - 1), min(max(top, y), bottom)

    def _line_feed(self) -> None:
        if self.y == self._bottom:
            self._scroll(self._top, 1)
        else:
            self.y = min(self.y + 1, self.rows - 1)

    def _scroll(self, top: int, count: int) -> None:
        """Move the rows from `top` to the region's end up, or down."""
        self._page.scroll(top, self._bottom, count)


def _numbers(parameters: str) -> list[int]:
    """Return the parameters without sub-parameters; a missing one is 0."""
    return [min(int(part), 2**31) if part.isdigit() else 0 for part in re.sub(r":[0-9:]*", "", parameters).split(";")]
