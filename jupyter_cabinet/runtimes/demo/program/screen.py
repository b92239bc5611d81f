"""Draws the demo agent on a terminal: a title box, bullets for its steps, an input line. Standard library only.

It scrolls like a shell and redraws only its input box, so it stays readable in any terminal and any recording.
"""

from __future__ import annotations

import os
import re
import sys

BOLD, DIM, GREEN, RED, CYAN, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[31m", "\x1b[36m", "\x1b[0m"
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
SHOWN_INPUT_LINES = 8


class Screen:
    """Draws the agent. The window's title also shows whether it works (◐) or waits (✳)."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._box_lines = 0  # of the input box that is on the screen

    def title(self, busy: bool) -> None:
        """Set the window's title."""
        self._write(f"\x1b]0;{'◐' if busy else '✳'} Demo agent\x07")

    def hello(self, folder: str) -> None:
        """Draw the box at the start. `folder`: where the agent works."""
        width = min(self._width(), 64) - 4
        rows = ["Demo agent", "A demonstration: no model, no network, no key.", folder]
        self._line(f"{CYAN}╭{'─' * (width + 2)}╮{PLAIN}")
        for place, row in enumerate(rows):
            text = _clean(row)[:width].ljust(width)
            self._line(f"{CYAN}│{PLAIN} {BOLD if place == 0 else DIM}{text}{PLAIN} {CYAN}│{PLAIN}")
        self._line(f"{CYAN}╰{'─' * (width + 2)}╯{PLAIN}")
        self._line()

    def prompt(self, text: str) -> None:
        """Draw an instruction, as it was given."""
        first, *rest = _clean(text).split("\n")
        self._line(f"{BOLD}> {first}{PLAIN}")
        for line in rest:
            self._line(f"  {line}")
        self._line()

    def bullet(self, text: str, colour: str = "") -> None:
        """Draw a message of the agent."""
        first, *rest = _clean(text).split("\n")
        self._line(f"{colour}●{PLAIN} {first}")
        for line in rest:
            self._line(f"  {line}")

    def tool(self, name: str, detail: str) -> None:
        """Draw a tool call with its main argument."""
        self._line(f"{GREEN}●{PLAIN} {BOLD}{name}{PLAIN}({_clean(detail)})")

    def under(self, text: str, is_error: bool = False) -> None:
        """Draw the result, indented."""
        self._line(f"  └  {RED if is_error else ''}{_clean(text)}{PLAIN}")
        self._line()

    def question(self, text: str) -> None:
        """Draw a yes-or-no question."""
        self._line(f"{BOLD}{_clean(text)}{PLAIN} (y/n)")

    def input(self, text: str, hint: str = "") -> None:
        """Redraw the input box with the text typed so far."""
        width = self._width()
        rule = f"{DIM}{'─' * width}{PLAIN}"
        typed = [line[-(width - 4) :] for line in _clean(text).split("\n")][-SHOWN_INPUT_LINES:]
        rows = [rule, *(f"{'> ' if not n else '  '}{line}" for n, line in enumerate(typed)), rule]
        rows.append(f"{DIM}  {hint or '/exit leaves'}{PLAIN}")
        back = f"\x1b[2A\r\x1b[{len(typed[-1]) + 2}C"  # to the end of the typed text
        self._write(self._erasure() + "\r\n".join(rows) + back)
        self._box_lines = len(typed)

    def clear_input(self) -> None:
        """Remove the input box."""
        self._write(self._erasure())
        self._box_lines = 0

    def _erasure(self) -> str:
        """Move to the rule above the first line; the cursor is in the last typed line."""
        return f"\x1b[{self._box_lines}A\r\x1b[J" if self._box_lines else ""

    def _line(self, text: str = "") -> None:
        self._write(text + "\r\n")

    def _width(self) -> int:
        try:
            return max(20, os.get_terminal_size(self._fd).columns)
        except OSError:
            return 80

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def _clean(text: str) -> str:
    """Remove control characters: text from a file or a prompt must not control the terminal."""
    return _CONTROLS.sub("", text.replace("\t", "    "))
