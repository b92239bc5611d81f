"""How Gemini CLI's screen is read: dialogs before an instruction is sent, its input box, whether it works or asks.

Facts, 0.61.0: the window title is `✦  Working… (dir)` or `⏲  Working… (dir)` while it works, `✋  Action Required …`
while a box asks, `◇  Ready (dir)` when it waits, also under a menu or a dialog of the first start. The input box begins
with ` > `, or with ` * ` in the mode `yolo`, and has the cursor; under a box the cursor stands below everything.
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
        Dialog("login", "Waiting for auth", "Gemini CLI is being logged in."),
        # before the instruction is sent: a file was mentioned in it
        Dialog(
            "read",
            "files are outside your workspace:",
            "Gemini CLI asks whether it may read a file outside its folder.",
        ),
    ),
    trouble=Trouble(r"\s*✕"),
    cancelled="Request cancelled.",
)
