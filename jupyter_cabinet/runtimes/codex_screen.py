"""Reads from Codex's screen what no hook tells: login, and how a turn ended that no Stop hook ended.

Pure; used by `codex_terminal.py`. It never reads answers. Facts, 0.169.0: the window title is `⠋ …` (a spinner)
while it works, `[ ! ] Action Required | …` while a box asks, plain when the input box waits. Stop is called before
the title becomes plain; where it was not, the last line that begins with `■` says what happened.
"""

from __future__ import annotations

from typing import Literal

from .screen_text import ScreenText, compact

Activity = Literal["unknown", "busy", "asking", "idle"]

_ASKING = "Action Required"
_SPINNER = range(0x2800, 0x2900)  # braille
_TROUBLE = "■"
_FRAME_BEGIN, _FRAME_END = b"\x1b[?2026h", b"\x1b[?2026l"
# Of the first start; each blocks, and no hook has fired before it is answered. Only what changes is drawn: a phrase
# may lack a character that was there before, so there are two.
DIALOGS = (
    ("login", "Choose how you want to use Codex", "Codex is not logged in and asks how to log in."),
    ("login", "Sign in with ChatGPT", "Codex is not logged in and asks how to log in."),
    ("trust", "Trust this folder?", "Codex asks whether it may trust this folder."),
    ("trust", "Do you trust the contents of this directory", "Codex asks whether it may trust this folder."),
    ("hooks", "Hooks can run outside the sandbox", "Codex asks to review hooks that are new to it."),
    ("hooks", "Continue without trusting", "Codex asks to review hooks that are new to it."),
)
_DIALOGS = tuple((name, compact(phrase), question) for name, phrase, question in DIALOGS)


class CodexScreen:
    """The few facts of the screen. The conversation decides what they mean."""

    def __init__(self) -> None:
        self._text = ScreenText()
        self._tail = b""
        self._drawing = False
        self.activity: Activity = "unknown"
        self.worked = False  # busy at some time since `begin`
        self.resumed = False  # went on after a question in the last piece

    def begin(self) -> None:
        """A new instruction: what the screen showed before no longer counts."""
        self._text.forget()
        self.worked = False

    def forget(self) -> None:
        """What was drawn until now no longer counts."""
        self._text.forget()

    def feed(self, data: bytes) -> None:
        self.resumed = False
        self._follow_frames(data)
        for title in self._text.feed(data):
            before, self.activity = self.activity, activity_of(title)
            self.resumed = self.resumed or (before == "asking" and self.activity == "busy")
            self.worked = self.worked or self.activity == "busy"

    def _follow_frames(self, data: bytes) -> None:
        """Half a frame holds half a sentence. It marks each (synchronized output, mode 2026)."""
        seen = self._tail + data
        begun, ended = seen.rfind(_FRAME_BEGIN), seen.rfind(_FRAME_END)
        if begun != ended:
            self._drawing = begun > ended
        self._tail = seen[1 - len(_FRAME_END) :]

    def rests(self) -> bool:
        """It has worked on this instruction, does no more, and what it draws is complete."""
        return self.worked and self.activity == "idle" and not self._drawing

    def dialog(self) -> tuple[str, str] | None:
        """Name and question of the first-start dialog that was drawn last."""
        places = [(self._text.words.rfind(phrase), name, text) for name, phrase, text in _DIALOGS]
        place, name, text = max(places)
        return (name, text) if place >= 0 else None

    def trouble(self) -> str:
        """What the last line in red says, without its spaces; empty where there is none."""
        return self._text.words.rpartition(_TROUBLE)[2] if _TROUBLE in self._text.words else ""

    def words(self) -> str:
        """For the sentence about a CLI that ended before its session began."""
        return self._text.words


def activity_of(title: str) -> Activity:
    if _ASKING in title:
        return "asking"
    return "busy" if title and ord(title[0]) in _SPINNER else "idle"
