"""What a terminal shows: its characters in rows and columns, and where the cursor stands. Pure.

For who must know what a program's screen says now, not what went over the wire: programs paint the same words again
whenever they like. It keeps what is readable: no colours, no scrollback, no line-drawing set. xterm.js 5.5 is its
oracle in a fuzz test. Called by `runtimes/`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from .sequences import Scanner, Sequence
from .titles import title_of

COLUMNS, ROWS = 120, 30  # until somebody says otherwise
LARGEST = 1000  # columns or rows
_TAB = 8
# What `Scanner` passes over: plain CSI, with the private ones that hide the cursor or mark a frame.
_TOKEN = re.compile(r"\x1b\[(\??)([0-9;:]*)([@-~])|([\x00-\x1f\x7f])|([^\x00-\x1f\x7f]+)")
_ALTERNATES = (47, 1047, 1049)
_FAINT, _NORMAL = 2, 22
_COLOURS = (38, 48, 58)


class _Page:
    """One of the two screens."""

    def __init__(self, columns: int, rows: int) -> None:
        self.lines = [[" "] * columns for _ in range(rows)]
        self.faint = [bytearray(columns) for _ in range(rows)]
        self.saved = (0, 0)


class Grid:
    """Feed it a PTY's bytes; any chunk boundary. `x` is `columns` where the next character wraps."""

    def __init__(self, columns: int = COLUMNS, rows: int = ROWS) -> None:
        self.columns, self.rows = columns, rows
        self._scanner = Scanner()
        self._reset()

    def _reset(self) -> None:
        self._normal = self._page = _Page(self.columns, self.rows)
        self._alternate: _Page | None = None
        self.left = ""  # what the alternate screen showed when it was left last
        self.x = self.y = 0
        self.cursor_shown = True
        self.drawing = False  # within a frame that the program has marked (synchronized output)
        self._last = ""  # the character that comes again where that is asked for
        self._soft_reset()

    def _soft_reset(self) -> None:
        self._top, self._bottom = 0, self.rows - 1
        self._wraps, self._inserts, self._origin = True, False, False
        self._is_faint = False
        self._page.saved = (0, 0)

    # --- what it shows -------------------------------------------------------------------------

    def line(self, row: int) -> str:
        """The characters of a row, without spaces at its end; empty outside."""
        return "".join(self._page.lines[row]).rstrip() if 0 <= row < self.rows else ""

    def character(self) -> str:
        """What stands under the cursor."""
        return self._page.lines[self.y][min(self.x, self.columns - 1)]

    def text(self) -> str:
        """All rows."""
        return "\n".join(self.line(row) for row in range(self.rows))

    def strong(self, row: int) -> str:
        """The row as `line` gives it, with spaces for what is drawn faint: hints that nobody has typed."""
        if not 0 <= row < self.rows:
            return ""
        cells = zip(self._page.lines[row], self._page.faint[row], strict=True)
        return "".join(" " if faint else character for character, faint in cells).rstrip()

    # --- what comes in -------------------------------------------------------------------------

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
        """What does not fit is cut off; programs draw anew."""
        columns, rows = (min(max(1, size), LARGEST) for size in (columns, rows))
        if (columns, rows) == (self.columns, self.rows):
            return
        gone = max(0, self.y - rows + 1)
        for page in {self._normal, self._alternate or self._normal}:
            page.lines = [(line + [" "] * columns)[:columns] for line in page.lines[gone:]][:rows]
            page.faint = [(line + bytes(columns))[:columns] for line in page.faint[gone:]][:rows]
            while len(page.lines) < rows:
                page.lines.append([" "] * columns)
                page.faint.append(bytearray(columns))
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
        """What `Scanner` tells of."""
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
        for run in _runs(text):
            if isinstance(run, str):
                self._put(run, 1)
            else:
                self._put(*run)

    def _put(self, text: str, width: int) -> None:
        """Narrow characters, or one of `width` columns."""
        if not width:
            return
        self._last = text[-1]
        while text:
            if self.x + width > self.columns:
                if self._wraps:
                    self.x = 0
                    self._line_feed()
                else:
                    self.x = max(0, self.columns - width)
            room = max(1, self.columns - self.x) if width == 1 else 1
            piece, text = text[:room], text[room:]
            cells = list(piece) if width == 1 else [piece, ""]
            self._write(cells[: self.columns - self.x])

    def _write(self, cells: list[str]) -> None:
        line, faint, end = self._page.lines[self.y], self._page.faint[self.y], self.x + len(cells)
        if self._inserts:
            self._part(self.y, self.x, self.columns)
            line[self.x : self.x] = cells
            faint[self.x : self.x] = bytes(len(cells))
            del line[self.columns :], faint[self.columns :]
        self._part(self.y, self.x, end)
        line[self.x : end] = cells
        faint[self.x : end] = bytes([self._is_faint]) * len(cells)
        self.x = end

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
        if final == "K":
            begin = 0 if what in (1, 2) else self.x
            end = self.columns if what in (0, 2) else self.x + 1
            self._blank(self.y, begin, end)
            return
        if what in (0, 1):
            self._erase("K", what)
        rows = {0: range(self.y + 1, self.rows), 1: range(self.y), 2: range(self.rows)}.get(what, range(0))
        for row in rows:
            self._blank(row, 0, self.columns)

    def _shift(self, final: str, count: int) -> None:
        match final:
            case "X":
                self._blank(self.y, self.x, self.x + count)
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
                self._shift_line(count if final == "@" else -count)

    def _other(self, final: str, first: int, numbers: list[int]) -> None:
        match final:
            case "b" if self._last:
                width = _width(self._last)
                for _ in range(min(max(1, first), self.columns * self.rows)):
                    self._put(self._last, width)
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
        """Only whether it is faint."""
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
            self._alternate = self._page = _Page(self.columns, self.rows)
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
        for rows in (self._page.lines, self._page.faint):
            blank = [" "] * self.columns if rows is self._page.lines else bytearray(self.columns)
            for _ in range(abs(count)):
                gone, new = (top, self._bottom) if count > 0 else (self._bottom, top)
                del rows[gone]
                rows.insert(new, blank[:])  # type: ignore[arg-type]

    def _shift_line(self, count: int) -> None:
        """Make room for so many characters at the cursor, or take so many away."""
        line, faint = self._page.lines[self.y], self._page.faint[self.y]
        size = min(abs(count), self.columns - self.x)
        self._part(self.y, self.x, self.columns if count > 0 else self.x + size)
        if count > 0:
            line[self.x : self.x] = [" "] * size
            faint[self.x : self.x] = bytes(size)
        else:
            del line[self.x : self.x + size], faint[self.x : self.x + size]
            line += [" "] * size
            faint += bytes(size)
        del line[self.columns :], faint[self.columns :]

    def _part(self, row: int, begin: int, end: int) -> None:
        """A wide character of which only one half stays is gone."""
        line = self._page.lines[row]
        if line[begin] == "" and begin:
            line[begin - 1] = " "
        if end < self.columns and line[end] == "":
            line[end] = " "

    def _blank(self, row: int, begin: int, end: int) -> None:
        end = min(end, self.columns)
        if begin < end:
            self._part(row, begin, end)
            self._page.lines[row][begin:end] = [" "] * (end - begin)
            self._page.faint[row][begin:end] = bytes(end - begin)


def _numbers(parameters: str) -> list[int]:
    """Without sub-parameters; what is missing is 0."""
    return [min(int(part), 2**31) if part.isdigit() else 0 for part in re.sub(r":[0-9:]*", "", parameters).split(";")]


def _runs(text: str) -> Iterator[str | tuple[str, int]]:
    """Narrow characters together, others one by one with their width."""
    if text.isascii():
        yield text
        return
    narrow = ""
    for character in text:
        width = _width(character)
        if width == 1:
            narrow += character
            continue
        if narrow:
            yield narrow
            narrow = ""
        yield character, width
    if narrow:
        yield narrow


def _width(character: str) -> int:
    if character < "\u0300":
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
