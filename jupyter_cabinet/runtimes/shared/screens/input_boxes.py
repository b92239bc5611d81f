"""Finds the text in the input box that has the cursor, for each form of input box. Pure.

Called by `cli_screen.py`; `screen_table.py` describes the forms.
"""

from __future__ import annotations

import re

from ....terminals.vt.grid import Grid
from .screen_phrases import compact
from .screen_table import BarredBox, FramedBox, InputBox, UnframedBox

HINT_CHARACTERS = 8  # enough of a hint to recognize it


def typed(grid: Grid, box: InputBox) -> str | None:
    """Return the text, without the hint; None: no input box has the cursor."""
    match box:
        case FramedBox():
            return _in_frame(grid, box)
        case UnframedBox():
            return _behind_sign(grid, box)
    return _beside_bar(grid, box)


def line_above(grid: Grid, box: FramedBox) -> int | None:
    """Return the row of the frame above the cursor; None if there is none."""
    return _line(grid, box.upper, -1)


def line_below(grid: Grid, box: FramedBox) -> int | None:
    """Return the row of the frame below the cursor; None if there is none."""
    return _line(grid, box.lower, 1)


def _line(grid: Grid, pattern: str, step: int) -> int | None:
    row = grid.y + step
    while 0 <= row < grid.rows:
        line = grid.line(row)
        plain = line == "─" * grid.columns
        if plain or (pattern and len(line) == grid.columns and re.fullmatch(pattern, line)):
            return row
        row += step
    return None


def _in_frame(grid: Grid, box: FramedBox) -> str | None:
    top, bottom = line_above(grid, box), line_below(grid, box)
    if top is None or bottom is None:
        return None
    if box.cut and re.fullmatch(box.cut, grid.line(top)):
        return "\n".join(grid.strong(row) for row in range(top + 1, bottom)).strip()
    if not grid.line(top + 1).startswith(box.sign):
        return None
    rows = [grid.strong(row) for row in range(top + 1, bottom)]
    text = "\n".join([rows[0].removeprefix(box.sign), *rows[1:]]).strip()
    hint = grid.line(top + 1).removeprefix(box.sign).strip()
    # a hint is faint, except for the character on which the program draws its own cursor
    return "" if len(text) == 1 and len(hint) > 1 and grid.character() == text else text


def _behind_sign(grid: Grid, box: UnframedBox) -> str | None:
    indent = len(box.sign)
    if (box.cursor_shown and not grid.cursor_shown) or not indent <= grid.x < grid.columns:
        return None
    rows: list[str] = []
    for row in range(grid.y, -1, -1):
        line = grid.line(row) if box.hint else grid.strong(row)
        if any(line.startswith(sign.rstrip()) for sign in (box.sign, *box.other_signs)):
            text = "\n".join([line[indent:], *reversed(rows)]).strip()
            return "" if _is_hint(text, box.hint) else text
        if line[:indent].strip():
            return None
        rows.append(line)
    return ("\n".join(reversed(rows)).strip() or None) if box.may_begin_above else None


def _is_hint(text: str, hint: str) -> bool:
    """In a narrow terminal the text continues in the row below the cursor."""
    words = compact(text)
    return len(words) >= HINT_CHARACTERS and compact(hint).startswith(words)


def _beside_bar(grid: Grid, box: BarredBox) -> str | None:
    column = grid.line(grid.y).rfind(box.bar, 0, grid.x + 1)
    if not grid.cursor_shown or column < 0 or not column + box.indent <= grid.x < grid.columns:
        return None
    rows = _rows_of_bar(grid, box, column)
    if rows is None:
        return None
    text = "\n".join(rows).strip()
    return "" if box.hint and compact(text).startswith(compact(box.hint)) else text


def _rows_of_bar(grid: Grid, box: BarredBox, column: int) -> list[str] | None:
    """Return the rows of the bar around the cursor, without those at its foot; None: it has no foot."""

    def has_bar(row: int) -> bool:
        return grid.line(row)[column : column + 1] == box.bar

    top = bottom = grid.y
    while has_bar(top - 1):
        top -= 1
    while has_bar(bottom + 1):
        bottom += 1
    foot = grid.line(bottom + 1)[column:]
    end = bottom + 1 - box.rows_below
    if not foot.startswith(box.foot) or end <= grid.y:
        return None
    right = column + len(foot.partition(" ")[0])  # text next to the box is not part of it
    return [grid.line(row)[column + box.indent : right] for row in range(top, end)]
