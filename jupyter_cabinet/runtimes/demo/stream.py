"""The dialogue with the headless demo agent: Claude Code's, under another name. Pure; made by `runtime.py`."""

from __future__ import annotations

from ..claude.stream import ClaudeStream
from .questions import TOOLS


class DemoStream(ClaudeStream):
    """One headless run."""

    title = "Demo agent"
    tools = TOOLS
