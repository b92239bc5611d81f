"""Reads from Gemini CLI's screen: dialogs before an instruction is sent, its input box, whether it works or asks.

Pure; used by `terminal.py`. It never reads answers. Facts, 0.61.0: the window title is `✦  Working… (dir)`
or `⏲  Working… (dir)` while it works, `✋  Action Required (dir)` while a box asks, `◇  Ready (dir)` when it waits,
also under a menu or a dialog of the first start. The input box begins with ` > ` and has the cursor; under a box the
cursor stands below everything.
"""

from __future__ import annotations

from ..shared.cli_screen import PROMPT_CHARACTERS, Activity, CliScreen
from ..shared.screen_phrases import compact

_SIGN = " > "
_HINT = compact("Type your message or @path/to/file")
_HINT_CHARACTERS = 8  # enough of it to know it again
_CANCELLED = "Request cancelled."
_TROUBLE = "✕"


class GeminiScreen(CliScreen):
    """The few facts of the screen. The conversation decides what they mean."""

    DIALOGS = (
        ("trust", "Do you trust the files in this folder?", "Gemini CLI asks whether it may trust this folder."),
        ("login", "How would you like to authenticate", "Gemini CLI is not logged in and asks how to log in."),
        ("login", "Enter Gemini API Key", "Gemini CLI asks for an API key."),
        ("login", "Waiting for auth", "Gemini CLI is being logged in."),
        # before the instruction is sent: a file was mentioned in it
        ("read", "files are outside your workspace:", "Gemini CLI asks whether it may read a file outside its folder."),
    )

    def activity_of(self, title: str) -> Activity:
        if "Action Required" in title:
            return "asking"
        return "busy" if title.startswith(("✦", "⏲")) or "Working…" in title else "idle"

    def typed(self) -> str | None:
        """The box has no frame: rows from the sign to the cursor, all of them indented."""
        grid = self.grid
        if grid.x < len(_SIGN) or grid.x >= grid.columns:
            return None
        rows: list[str] = []
        for row in range(grid.y, -1, -1):
            line = grid.line(row)
            if line.startswith(_SIGN.rstrip()):
                text = "\n".join([line[len(_SIGN) :], *reversed(rows)]).strip()
                return "" if self._is_hint(text) else text
            if line[: len(_SIGN)].strip():
                return None
            rows.append(line)
        # a long text in a low terminal: the row with the sign is above the screen
        return "\n".join(reversed(rows)).strip() or None

    def _is_hint(self, text: str) -> bool:
        """In a narrow terminal it goes on in the row below the cursor."""
        words = compact(text)
        return len(words) >= _HINT_CHARACTERS and _HINT.startswith(words)

    def cancelled(self, prompt: str) -> bool:
        return any(compact(_CANCELLED) in compact(line) for line in self._since(prompt))

    def trouble(self, prompt: str) -> str:
        """What the last line since the prompt says that tells of an error; empty where there is none."""
        lines = (line.strip() for line in reversed(self._since(prompt)))
        return next((line.removeprefix(_TROUBLE).strip() for line in lines if line.startswith(_TROUBLE)), "")

    def _since(self, prompt: str) -> list[str]:
        """The rows below the prompt; all, where it stands above the screen: earlier turns are further up."""
        lines = [self.grid.line(row) for row in range(self.grid.rows)]
        begun = compact(_SIGN) + compact(prompt)[:PROMPT_CHARACTERS]
        places = [row for row, line in enumerate(lines) if compact(line).startswith(begun)]
        return lines[places[-1] + 1 :] if places else lines
