"""Reads from Codex's screen what no hook tells: login, its input box, and how a turn ended that no hook ended.

Pure; used by `terminal.py`. It never reads answers. Facts, 0.169.0: the window title is `⠋ …` (a spinner)
while it works, `[ ! ] Action Required | …` while a box asks, plain when the input box waits. The input box begins with
`›`; the cursor is shown there alone. A line that begins with `■` says what went wrong.
"""

from __future__ import annotations

from ..shared.cli_screen import PROMPT_CHARACTERS, Activity, CliScreen
from ..shared.screen_phrases import compact

_ASKING = "Action Required"
_SPINNER = range(0x2800, 0x2900)  # braille
_TROUBLE = "■"
_SIGN = "›"
_INDENT = 2  # columns, of what is typed


class CodexScreen(CliScreen):
    """The few facts of the screen. The conversation decides what they mean."""

    DIALOGS = (
        ("login", "Choose how you want to use Codex", "Codex is not logged in and asks how to log in."),
        ("login", "Sign in with ChatGPT", "Codex is not logged in and asks how to log in."),
        ("trust", "Trust this folder?", "Codex asks whether it may trust this folder."),
        ("trust", "Do you trust the contents of this directory", "Codex asks whether it may trust this folder."),
        ("hooks", "Hooks can run outside the sandbox", "Codex asks to review hooks that are new to it."),
        ("hooks", "Continue without trusting", "Codex asks to review hooks that are new to it."),
    )

    def activity_of(self, title: str) -> Activity:
        if _ASKING in title:
            return "asking"
        return "busy" if title and ord(title[0]) in _SPINNER else "idle"

    def typed(self) -> str | None:
        grid = self.grid
        if not grid.cursor_shown or not _INDENT <= grid.x < grid.columns:
            return None
        rows: list[str] = []
        for row in range(grid.y, -1, -1):
            line = grid.strong(row)
            if line.startswith(_SIGN):
                return "\n".join([line[_INDENT:], *reversed(rows)]).strip()
            if line[:_INDENT].strip():
                return None
            rows.append(line)
        return None

    def trouble(self, prompt: str) -> str:
        """What the last line below the prompt says that tells of something wrong; empty where there is none."""
        begun = _SIGN + compact(prompt)[:PROMPT_CHARACTERS]
        for row in range(self.grid.rows - 1, -1, -1):
            line = self.grid.line(row)
            if line.startswith(_TROUBLE):
                return self._sentence(row)
            if compact(line).startswith(begun):
                return ""
        return ""

    def _sentence(self, row: int) -> str:
        """A line that is too long goes on in the next ones, up to an empty one."""
        lines = [self.grid.line(row).removeprefix(_TROUBLE)]
        while line := self.grid.line(row := row + 1).strip():
            lines.append(line)
        return " ".join(line.strip() for line in lines)
