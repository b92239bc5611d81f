"""Reads Gemini CLI's screen: dialogs before an instruction, its input box, whether it works or asks.

Facts, 0.61.0: the window title is `✦  Working… (dir)` or `⏲  Working… (dir)` while it works, `✋  Action Required …`
while a dialog asks, and `◇  Ready (dir)` when it waits, also under a menu or a first-start dialog. The input box begins
with ` > `, or with ` * ` in the mode `yolo`, and has the cursor; under a dialog the cursor is below everything.
"""

from __future__ import annotations

from ..shared.screens.screen_table import Dialog, ScreenTable, Title, Trouble, UnframedBox

SCREEN = ScreenTable(
    box=UnframedBox(
        sign=" > ",
        other_signs=(" * ",),
        hint="Type your message or @path/to/file",
        may_begin_above=True,
    ),
    titles=(Title(".*Action Required", "asking"), Title("[✦⏲]|.*Working…", "busy"), Title("", "idle")),
    dialogs=(
        Dialog("trust", "Do you trust the files in this folder?", "Gemini CLI asks whether it may trust this folder."),
        Dialog("login", "How would you like to authenticate", "Gemini CLI is not logged in and asks how to log in."),
        Dialog("login", "Enter Gemini API Key", "Gemini CLI asks for an API key."),
        Dialog("login", "Waiting for auth", "Gemini CLI is logging in."),
        # before the instruction is sent: it mentions a file
        Dialog(
            "read",
            "files are outside your workspace:",
            "Gemini CLI asks whether it may read a file outside its folder.",
        ),
    ),
    trouble=Trouble(r"\s*✕"),
    cancelled="Request cancelled.",
)
