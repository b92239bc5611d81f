"""Reads Codex's screen: login, input box, and how a turn ended without a hook. Facts: 0.169.0.

The window title is `⠋ …` (a spinner in braille) while Codex works, `[ ! ] Action Required | …` while a dialog asks, and
plain while the input box waits. The input box begins with `›`, and the cursor is shown only there. A row that begins
with `■` reports an error.
"""

from __future__ import annotations

from ..shared.screens.screen_table import Dialog, ScreenTable, Title, Trouble, UnframedBox

_LOGIN = "Codex is not logged in and asks how to log in."
_TRUST = "Codex asks whether it may trust this folder."
_HOOKS = "Codex asks to review new hooks."

SCREEN = ScreenTable(
    box=UnframedBox(sign="› ", cursor_shown=True),
    titles=(Title(".*Action Required", "asking"), Title("[\u2800-\u28ff]", "busy"), Title("", "idle")),
    dialogs=(
        Dialog("login", "Choose how you want to use Codex", _LOGIN),
        Dialog("login", "Sign in with ChatGPT", _LOGIN),
        Dialog("trust", "Trust this folder?", _TRUST),
        Dialog("trust", "Do you trust the contents of this directory", _TRUST),
        Dialog("hooks", "Hooks can run outside the sandbox", _HOOKS),
        Dialog("hooks", "Continue without trusting", _HOOKS),
    ),
    trouble=Trouble("■", goes_on=True),
)
