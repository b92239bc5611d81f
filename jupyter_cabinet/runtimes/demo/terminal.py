"""The dialogue with the demo agent in a PTY: Claude Code's, with another screen. Pure; made by `runtime.py`."""

from __future__ import annotations

from ..claude.terminal import ClaudeTerminal
from .questions import TOOLS
from .screen import SCREEN


class DemoTerminal(ClaudeTerminal):
    """One conversation serves many instructions."""

    title = "Demo agent"
    tools = TOOLS
    table = SCREEN
    refused_in_box = "You did not allow "
    interrupt_keys = b"\x03"
