"""Reads opencode's screen: whether its input box has the cursor, and whether it works. Facts: 1.18.33.

The input box has a bar `┃` at its left, an empty row and the model's name below the typed text, and `╹▀▀▀` as its foot.
The cursor is shown there, and in menus, which have no bar. The row below says "esc interrupt" while opencode works, and
"esc again to interrupt" after one Esc. Window titles carry no information.
"""

from __future__ import annotations

from ..shared.screens.screen_table import BarredBox, BusyRow, ScreenTable

SCREEN = ScreenTable(
    box=BarredBox(bar="┃", foot="╹▀▀▀", indent=3, rows_below=2, hint="Ask anything"),
    busy=BusyRow("esc interrupt", "last_rows", again="esc again to interrupt"),
    ready="ctrl+p commands",
)
