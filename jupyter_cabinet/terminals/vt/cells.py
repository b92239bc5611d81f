"""The characters of one screen in rows and columns, and which of them are drawn faint. Pure.

A wide character fills two cells, the second with an empty text. `grid.py` decides what is drawn where; positions are
within the screen.
"""

from __future__ import annotations


class Cells:
    """`saved`: the column and row that the program has saved for this screen."""

    def __init__(self, columns: int, rows: int) -> None:
        self.saved = (0, 0)
        self._columns = columns
        self._lines = [[" "] * columns for _ in range(rows)]
        self._faint = [bytearray(columns) for _ in range(rows)]

    # --- its contents --------------------------------------------------------------------------

    def character(self, row: int, column: int) -> str:
        """Return a cell; empty for the second half of a wide character."""
        return self._lines[row][column]

    def line(self, row: int) -> str:
        """Return the characters of a row, without spaces at its end; empty outside."""
        return "".join(self._lines[row]).rstrip() if 0 <= row < len(self._lines) else ""

    def strong(self, row: int) -> str:
        """Return the row like `line`, with spaces for faint characters."""
        if not 0 <= row < len(self._lines):
            return ""
        cells = zip(self._lines[row], self._faint[row], strict=True)
        return "".join(" " if faint else character for character, faint in cells).rstrip()

    # --- within a row --------------------------------------------------------------------------

    def write(self, row: int, column: int, cells: list[str], *, faint: bool, inserts: bool) -> None:
        """Draw from `column` on; with `inserts` the characters there move to the right."""
        if inserts:
            self.shift(row, column, len(cells))
        end = column + len(cells)
        self._part(row, column, end)
        self._lines[row][column:end] = cells
        self._faint[row][column:end] = bytes([faint]) * len(cells)

    def blank(self, row: int, begin: int, end: int) -> None:
        """Erase the columns from `begin` up to `end`, which may be beyond the last one."""
        end = min(end, self._columns)
        if begin < end:
            self._part(row, begin, end)
            self._lines[row][begin:end] = [" "] * (end - begin)
            self._faint[row][begin:end] = bytes(end - begin)

    def shift(self, row: int, column: int, count: int) -> None:
        """Insert so many cells at `column`, or remove so many if `count` is negative."""
        line, faint = self._lines[row], self._faint[row]
        size = min(abs(count), self._columns - column)
        self._part(row, column, self._columns if count > 0 else column + size)
        if count > 0:
            line[column:column] = [" "] * size
            faint[column:column] = bytes(size)
        else:
            del line[column : column + size], faint[column : column + size]
            line += [" "] * size
            faint += bytes(size)
        del line[self._columns :], faint[self._columns :]

    def _part(self, row: int, begin: int, end: int) -> None:
        """Remove a wide character of which only one half is left."""
        line = self._lines[row]
        if line[begin] == "" and begin:
            line[begin - 1] = " "
        if end < self._columns and line[end] == "":
            line[end] = " "

    # --- rows ----------------------------------------------------------------------------------

    def scroll(self, top: int, bottom: int, count: int) -> None:
        """Move the rows from `top` to `bottom`, both included, up by `count`, or down if it is negative."""
        gone, new = (top, bottom) if count > 0 else (bottom, top)
        for _ in range(abs(count)):
            del self._lines[gone], self._faint[gone]
            self._lines.insert(new, [" "] * self._columns)
            self._faint.insert(new, bytearray(self._columns))

    def resize(self, columns: int, rows: int, *, above: int) -> None:
        """Cut off what does not fit: `above` rows at the top, the rest at the bottom and on the right."""
        self._columns = columns
        self._lines = [(line + [" "] * columns)[:columns] for line in self._lines[above:]][:rows]
        self._faint = [(line + bytes(columns))[:columns] for line in self._faint[above:]][:rows]
        while len(self._lines) < rows:
            self._lines.append([" "] * columns)
            self._faint.append(bytearray(columns))
