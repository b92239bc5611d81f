"""Reads from Claude Code's screen what no hook tells: first-start dialogs, its input box, whether it works.

Pure; used by `terminal.py`. It never reads answers: the screen shows rendered markdown.
2.1.329: the window title is `✳ …` while the input box waits, under a permission box, and while a hook runs; `◐ …` or
`◑ …` while it works. The input box stands between two rules and begins with `❯`; the row below it ends in "esc to
interrupt" while it works. The cursor is in the input box, or at the chosen answer of a box (` ❯ 1. Yes`).
"""

from __future__ import annotations

import re

from ..shared.cli_screen import Activity, CliScreen
from ..shared.screen_phrases import compact

IDLE_TITLE = "✳"
_INTERRUPTIBLE = compact("esc to interrupt")
_NAMED_RULE = re.compile(r"─{2,} \S.* ─+")


class ClaudeScreen(CliScreen):
    """The few facts of the screen. The conversation decides what they mean."""

    SIGN = "❯"

    # In the order in which they come.
    DIALOGS = (
        (
            "theme",
            "Choose the text style",
            "Claude Code is started for the first time and asks how it shall look.",
        ),
        ("login", "Select login method:", "Claude Code is not logged in and asks how to log in."),
        ("code", "Paste code here", "Claude Code is being logged in and waits for the code from the browser."),
        ("trust", "Quick safety check:", "Claude Code asks whether it may trust this folder."),
        (
            "key",
            "Detected a custom API key in your",
            "Claude Code asks whether to use the API key of this server.",
        ),
        (
            "bypass",
            "running in Bypass Permissions mode",
            "Claude Code asks to accept the mode without questions.",
        ),
    )

    def activity_of(self, title: str) -> Activity:
        return "idle" if title.startswith(IDLE_TITLE) or not title.strip() else "busy"

    def is_busy(self) -> bool:
        return self.activity == "busy" or self._can_be_interrupted()

    def is_rule(self, line: str, *, upper: bool) -> bool:
        """The upper one bears the session's name, where it has one."""
        return super().is_rule(line, upper=upper) or (upper and _NAMED_RULE.fullmatch(line) is not None)

    def typed(self) -> str | None:
        return self.between_rules(self.SIGN)

    def _can_be_interrupted(self) -> bool:
        """The row below the input box says so; in a narrow terminal it is cut, and the title alone tells."""
        bottom = self._rule(1)
        return bottom is not None and _INTERRUPTIBLE in compact(self.grid.line(bottom + 1))
