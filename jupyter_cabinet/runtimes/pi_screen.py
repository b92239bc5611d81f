"""Reads from pi's screen what no hook tells: dialogs before a session begins, and why a prompt was not taken.

Pure; used by `pi_terminal.py`. It never reads answers. Facts: 0.87.1.
"""

from __future__ import annotations

from .screen_text import ScreenText, compact

DIALOGS = (("trust", "Trust project folder?", "pi asks whether it may trust this folder."),)
# A prompt that pi does not give to a model: no hook fires.
REFUSALS = ("No API key found for", "No models available", "No model selected", "Authentication failed for")
_DIALOGS = tuple((name, compact(phrase), question) for name, phrase, question in DIALOGS)
_REFUSALS = tuple(compact(phrase) for phrase in REFUSALS)
_ERROR = compact("Error: ")


class PiScreen:
    """The few facts of the screen. The conversation decides what they mean."""

    def __init__(self) -> None:
        self._text = ScreenText()

    def begin(self) -> None:
        """A new instruction: what the screen showed before no longer counts."""
        self._text.forget()

    def feed(self, data: bytes) -> None:
        self._text.feed(data)

    def dialog(self) -> tuple[str, str] | None:
        """Name and question of the dialog that was drawn."""
        return next(((name, text) for name, phrase, text in _DIALOGS if phrase in self._text.words), None)

    def refusal(self) -> str:
        """Why pi did not give the prompt to a model, without the spaces; empty where it did."""
        words = self._text.words
        return next((phrase for phrase in _REFUSALS if f"{_ERROR}{phrase}" in words), "")

    def words(self) -> str:
        """For the sentence about a CLI that ended before its session began."""
        return self._text.words
