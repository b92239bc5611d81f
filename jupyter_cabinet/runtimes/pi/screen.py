"""Reads pi's screen: dialogs before a session starts, its input box, refused prompts. Facts: 0.87.1.

The input box is between two lines; while pi works, the upper one is interrupted by a spinner and "Working". Under a
dialog the cursor is below everything. A text that is too long for the box is shown in part; the lines say how much is
missing. A prompt that pi does not give to a model fires no hook. Window titles carry no information.
"""

from __future__ import annotations

from ..shared.screens.screen_table import BusyRow, Dialog, FramedBox, ScreenTable

_MORE = r"─+ [↑↓] \d+ more ─+"

SCREEN = ScreenTable(
    box=FramedBox(sign="", upper=_MORE, lower=_MORE),
    busy=BusyRow("Working", "line_above_cursor"),
    dialogs=(Dialog("trust", "Trust project folder?", "pi asks whether it may trust this folder."),),
    refusals=(
        "Error: No API key found for",
        "Error: No models available",
        "Error: No model selected",
        "Error: Authentication failed for",
    ),
)
