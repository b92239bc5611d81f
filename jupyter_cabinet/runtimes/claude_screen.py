"""Reads from Claude Code's screen what no hook tells: first-start dialogs, and whether it works or waits.

Pure; used by `claude_terminal.py`. It never reads answers: the screen shows rendered markdown.
2.1.329: the window title is `✳ …` while the input box waits (also under a permission box), `◐ …` or `◑ …`
while it works.
"""

from __future__ import annotations

from typing import Literal

from .screen_text import ScreenText, compact

Activity = Literal["unknown", "busy", "idle"]

IDLE_TITLE = "✳"
# Footer of an empty, idle input box. A permission box has none; at work it is "esc to interrupt".
_IDLE_FOOTER = compact("? for shortcuts")
# Where an answer was cut short: "Interrupted · What should Claude do instead?"
_INTERRUPTED = compact("Interrupted · What should")
_PROMPT_SIGN = "❯"
PROMPT_CHARACTERS = 12  # enough of a prompt to know it again

# In the order in which they come. Each blocks, and no hook has fired before the last of them is answered.
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
_DIALOGS = tuple((name, compact(phrase), question) for name, phrase, question in DIALOGS)


class ClaudeScreen:
    """The few facts of the screen. The conversation decides what they mean."""

    def __init__(self) -> None:
        self._text = ScreenText()
        self.activity: Activity = "unknown"
        self.worked = False  # busy at some time since `begin`
        self.resumed = False  # went from idle to busy in the last piece

    def begin(self) -> None:
        """A new instruction: what the screen showed before no longer counts."""
        self._text.forget()
        self.worked = False

    def forget(self) -> None:
        """What was drawn before a question no longer counts."""
        self._text.forget()

    def feed(self, data: bytes) -> None:
        self.resumed = False
        for title in self._text.feed(data):
            activity: Activity = "idle" if title.startswith(IDLE_TITLE) or not title.strip() else "busy"
            self.resumed = self.resumed or (self.activity == "idle" and activity == "busy")
            self.activity = activity
            self.worked = self.worked or activity == "busy"

    def dialog(self) -> tuple[str, str] | None:
        """Name and question of the first-start dialog that was drawn last."""
        places = [(self._text.words.rfind(phrase), name, text) for name, phrase, text in _DIALOGS]
        place, name, text = max(places)
        return (name, text) if place >= 0 else None

    def shows_interruption(self, prompt: str) -> bool:
        """Whether the answer was cut short: it is said so, or the prompt is back in the input box.

        The idle title alone is no sign: it also comes with a permission box, before that box's hook.
        """
        if self.activity != "idle" or not self.worked:
            return False
        begun = compact(prompt)[:PROMPT_CHARACTERS]
        since = self._text.words[self._text.at_title :]
        return _INTERRUPTED in since or (bool(begun) and _PROMPT_SIGN + begun in since)

    def shows_empty_input(self) -> bool:
        return _IDLE_FOOTER in self._text.words

    def words(self) -> str:
        """For the sentence about a CLI that ended before its session began."""
        return self._text.words
