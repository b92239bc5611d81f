"""The port through which an agent's run uses Cabinet's tools.

Wired in `backend.py`; called by `dispatch/reporter.py`.
"""

from __future__ import annotations

from typing import Protocol

from ...core.errors import NotAllowed
from ...execution.model import ToolAnswer
from ..model import Run


class RunTools(Protocol):
    """Executes the tool calls of a run."""

    async def call(self, run: Run, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        """Execute a tool call and return its answer.

        `run`: the current state of the run, which is working. `arguments`: as the model wrote them. Raises `NotAllowed`
        for a tool that the run does not have, and other `CabinetError`s: the agent receives their message. If the
        caller is cancelled, an action that has begun may still be completed.
        """


class NoTools(RunTools):
    """The port of a server without agents: every call raises `NotAllowed`."""

    async def call(self, run: Run, tool: str, arguments: dict[str, object]) -> ToolAnswer:
        raise NotAllowed("There are no tools here.")
