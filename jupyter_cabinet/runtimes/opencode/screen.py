"""Reads from opencode's screen whether its input box has the cursor, and whether it works.

Pure; used by `terminal.py`. Facts, 1.18.33: the input box has a bar `┃` at its left, an empty row and the
model's name below what is typed, and `╹▀▀▀` as its foot. The cursor is shown there, and in menus, which have no bar of
their own. The row below says "esc interrupt" while it works.
"""

from __future__ import annotations

from ..shared.cli_screen import CliScreen
from ..shared.screen_phrases import compact

_BAR, _FOOT = "┃", "╹▀▀▀"
_INDENT = 3  # columns, bar included
_HINT = compact("Ask anything")
_READY = "ctrl+p commands"
_INTERRUPTIBLE = compact("esc interrupt")


class OpencodeScreen(CliScreen):
    """The few facts of the screen. The conversation decides what they mean."""

    def is_ready(self) -> bool:
        """It takes input."""
        return self.shows(_READY)

    def is_busy(self) -> bool:
        rows = range(self.grid.rows - 3, self.grid.rows)
        return _INTERRUPTIBLE in compact("".join(self.grid.line(row) for row in rows))

    def typed(self) -> str | None:
        grid, bar = self.grid, self.grid.line(self.grid.y).rfind(_BAR, 0, self.grid.x + 1)
        if not grid.cursor_shown or bar < 0 or not bar + _INDENT <= grid.x < grid.columns:
            return None
        rows = self._rows(bar)
        if rows is None:
            return None
        text = "\n".join(rows).strip()
        return "" if compact(text).startswith(_HINT) else text

    def _rows(self, bar: int) -> list[str] | None:
        """What is typed: the rows of the bar around the cursor, without the two at its foot."""
        top = bottom = self.grid.y
        while self._barred(top - 1, bar):
            top -= 1
        while self._barred(bottom + 1, bar):
            bottom += 1
        foot = self.grid.line(bottom + 1)[bar:]
        if not foot.startswith(_FOOT) or bottom - 1 <= self.grid.y:
            return None
        end = bar + len(foot.partition(" ")[0])  # what stands beside the box is no part of it
        return [self.grid.line(row)[bar + _INDENT : end] for row in range(top, bottom - 1)]

    def _barred(self, row: int, bar: int) -> bool:
        return self.grid.line(row)[bar : bar + 1] == _BAR
