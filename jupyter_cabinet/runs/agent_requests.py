"""Open terminals in which people have asked for an agent: told who waits for a place there, and who does not come.

Called by `dispatcher.py`. It starts nothing and changes no record.
"""

from __future__ import annotations

from contextlib import suppress

from ..core.errors import NotFound
from ..terminals.frames import AgentQueued
from ..terminals.service import Terminals
from .live import LiveRun
from .manual import wanted_terminal
from .records import RunRecords


class AgentRequests:
    """A terminal that has been closed in the meantime is skipped."""

    def __init__(self, records: RunRecords, terminals: Terminals) -> None:
        self._records = records
        self._terminals = terminals

    def tell_queue(self) -> None:
        """Say in each which agent waits to be started there, and that one does no longer."""
        for live in self._records.live.values():
            self._tell(live, None if live.life.claimed else _queued(live))

    def leave(self, live: LiveRun) -> None:
        """The run has ended: where no agent came, say why."""
        wanted = wanted_terminal(live.new)
        if wanted is None or (live.execution is not None and live.execution.has_agent):
            return
        self._tell(live, None)
        with suppress(NotFound):
            terminal = self._terminals.find(wanted)
            terminal.programs.agent_did_not_come()
            run = live.run
            terminal.notifications.problem(run.state, f"{run.runtime_title} has not started. {run.reason}")

    def _tell(self, live: LiveRun, frame: AgentQueued | None) -> None:
        if (wanted := wanted_terminal(live.new)) is not None:
            with suppress(NotFound):
                self._terminals.find(wanted).notifications.agent_queued(frame)


def _queued(live: LiveRun) -> AgentQueued:
    return AgentQueued(title=live.run.runtime_title, by=live.run.trigger.person, position=live.run.position)
