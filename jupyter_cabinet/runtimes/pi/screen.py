"""Reads from pi's screen what no hook tells: dialogs before a session begins, its input box, refused prompts.

Pure; used by `terminal.py`. It never reads answers. Facts, 0.87.1: the input box stands between two rules, the upper
one broken by a spinner and "Working" while it works; under a box the cursor stands below everything.
"""

from __future__ import annotations

import re

from ..shared.cli_screen import CliScreen
from ..shared.screen_phrases import compact

# A prompt that pi does not give to a model: no hook fires.
REFUSALS = ("No API key found for", "No models available", "No model selected", "Authentication failed for")
_ERROR = "Error: "
_WORKING = "Working"
_MORE = re.compile(r"─+ [↑↓] \d+ more ─+")


class PiScreen(CliScreen):
    """The few facts of the screen. The conversation decides what they mean."""

    DIALOGS = (("trust", "Trust project folder?", "pi asks whether it may trust this folder."),)

    def is_busy(self) -> bool:
        top = self.grid.line(self.grid.y - 1)
        return top.startswith("──") and top.endswith("──") and _WORKING in top

    def is_rule(self, line: str, *, upper: bool) -> bool:
        """A text that is too long for the box is shown in part; the rules say how much is missing."""
        return super().is_rule(line, upper=upper) or _MORE.fullmatch(line) is not None

    def typed(self) -> str | None:
        return self.between_rules("")

    def refusal(self) -> str:
        """Why pi did not give the prompt to a model; empty where it did."""
        words = compact(self.grid.text())
        return next((phrase for phrase in REFUSALS if compact(f"{_ERROR}{phrase}") in words), "")
