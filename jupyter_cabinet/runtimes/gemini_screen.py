"""Reads from Gemini CLI's screen: dialogs before an instruction is sent, whether it works, asks or waits.

Pure; used by `gemini_terminal.py`. It never reads answers. Facts, 0.61.0: the window title is `✦  Working… (dir)`
or `⏲  Working… (dir)` while it works, `✋  Action Required (dir)` while a box asks, `◇  Ready (dir)` when it waits,
also under a dialog of the first start.
"""

from __future__ import annotations

from typing import Literal

from .screen_text import ScreenText, compact

Activity = Literal["unknown", "busy", "asking", "idle"]

_INPUT = compact("Type your message or @path/to/file")
_CANCELLED = compact("Request cancelled.")
_TROUBLE = "✕"
DIALOGS = (
    ("trust", "Do you trust the files in this folder?", "Gemini CLI asks whether it may trust this folder."),
    ("login", "How would you like to authenticate", "Gemini CLI is not logged in and asks how to log in."),
    ("login", "Enter Gemini API Key", "Gemini CLI asks for an API key."),
    ("login", "Waiting for auth", "Gemini CLI is being logged in."),
    # before the instruction is sent: a file was mentioned in it
    ("read", "files are outside your workspace:", "Gemini CLI asks whether it may read a file outside its folder."),
)
_DIALOGS = tuple((name, compact(phrase), question) for name, phrase, question in DIALOGS)


class GeminiScreen:
    """The few facts of the screen. The conversation decides what they mean."""

    def __init__(self) -> None:
        self._text = ScreenText()
        self.activity: Activity = "unknown"
        self.worked = False  # busy at some time since `begin`

    def begin(self) -> None:
        """A new instruction: what the screen showed before no longer counts."""
        self._text.forget()
        self.worked = False

    def feed(self, data: bytes) -> None:
        for title in self._text.feed(data):
            self.activity = activity_of(title)
            self.worked = self.worked or self.activity == "busy"

    def rests(self) -> bool:
        """It has worked on this instruction and does no more."""
        return self.worked and self.activity == "idle"

    def takes_input(self) -> bool:
        return _INPUT in self._text.words

    def dialog(self) -> tuple[str, str] | None:
        """Name and question of the first-start dialog that was drawn last, unless the input box came after it."""
        places = [(self._text.words.rfind(phrase), name, text) for name, phrase, text in _DIALOGS]
        place, name, text = max(places)
        return (name, text) if place > self._text.words.rfind(_INPUT) else None

    def cancelled(self) -> bool:
        return _CANCELLED in self._text.words

    def trouble(self) -> str:
        """What the last line that tells of an error says, without its spaces; empty where there is none."""
        return self._text.words.rpartition(_TROUBLE)[2] if _TROUBLE in self._text.words else ""

    def words(self) -> str:
        """For the sentence about a CLI that ended before its session began."""
        return self._text.words


def activity_of(title: str) -> Activity:
    if "Action Required" in title:
        return "asking"
    return "busy" if title.startswith(("✦", "⏲")) or "Working…" in title else "idle"
