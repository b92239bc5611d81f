"""The port through which an agent's run uses our tools. Wired in `backend.py`; called by `reporter.py`."""

from __future__ import annotations

from typing import Protocol

from ..core.errors import NotAllowed
from ..execution.model import ToolAnswer
from .model import Run


class RunTools(Protocol):
    """Does what a run asks for by a tool."""

    async def call(self, run: Run, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        """`run`: as it is on record now; it works. `arguments`: as the model has written them.

        Raises `NotAllowed` for a tool that the run does not have, and other `CabinetError`s: the agent receives their
        message. Where the caller is cancelled, what was begun may still be done.
        """


class NoTools(RunTools):
    """For a server without agents."""

    async def call(self, run: Run, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        raise NotAllowed("There are no tools here.")
