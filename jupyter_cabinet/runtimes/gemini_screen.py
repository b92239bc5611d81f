"""Reads from Gemini CLI's screen: dialogs before an instruction is sent, its input box, whether it works or asks.

Pure; used by `gemini_terminal.py`. It never reads answers. Facts, 0.61.0: the window title is `✦  Working… (dir)`
or `⏲  Working… (dir)` while it works, `✋  Action Required (dir)` while a box asks, `◇  Ready (dir)` when it waits,
also under a menu or a dialog of the first start. The input box begins with ` > ` and has the cursor; under a box the
cursor stands below everything.
"""

from __future__ import annotations

from .cli_screen import Activity, CliScreen

_SIGN = " > "
_HINT = "Type your message or @path/to/file"
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
                return "" if text == _HINT else text
            if line[: len(_SIGN)].strip():
                return None
            rows.append(line)
        return None

    def cancelled(self) -> bool:
        return self.shows(_CANCELLED)

    def trouble(self) -> str:
        """What the last line that tells of an error says; empty where there is none."""
        lines = (self.grid.line(row).strip() for row in range(self.grid.rows - 1, -1, -1))
        return next((line.removeprefix(_TROUBLE).strip() for line in lines if line.startswith(_TROUBLE)), "")
