"""Reads Claude Code's screen: first-start dialogs, its input box, whether it is working. Facts: 2.1.329.

The window title is `✳ …` while the input box waits, under a permission dialog, and while a hook runs; `◐ …` or `◑ …`
while Claude Code works. The input box is between two lines and begins with `❯`; the row below it ends in "esc to
interrupt" while it works. The cursor is in the input box, or at the selected answer of a dialog (` ❯ 1. Yes`).
"""

from __future__ import annotations

from ..shared.screens.screen_table import BusyRow, Dialog, FramedBox, ScreenTable, Title

SCREEN = ScreenTable(
    # the upper line shows the session's name, if it has one, and how much of a long text is scrolled out
    box=FramedBox(sign="❯", upper=r"─{2,} \S.* ─+", cut=r"─{2,} ↑ \d+ more .*─"),
    titles=(Title(r"✳|\s*\Z", "idle"), Title("", "busy")),
    busy=BusyRow("esc to interrupt", "below_box"),
    dialogs=(
        Dialog(
            "theme",
            "Choose the text style",
            "Claude Code is started for the first time and asks for a text style.",
        ),
        Dialog("login", "Select login method:", "Claude Code is not logged in and asks how to log in."),
        Dialog("code", "Paste code here", "Claude Code is logging in and waits for the code from the browser."),
        Dialog("trust", "Quick safety check:", "Claude Code asks whether it may trust this folder."),
        Dialog(
            "key",
            "Detected a custom API key in your",
            "Claude Code asks whether to use the API key of this server.",
        ),
        Dialog(
            "bypass",
            "running in Bypass Permissions mode",
            "Claude Code asks to accept the mode without questions.",
        ),
    ),
)
