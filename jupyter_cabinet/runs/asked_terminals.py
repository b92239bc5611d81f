"""Open terminals in which people have asked for an agent: told who waits for a place there, and who does not come.

Called by `dispatcher.py` and `worker.py`. It starts nothing and changes no record.
"""

from __future__ import annotations

from contextlib import suppress

from ..core.errors import NotFound
from ..terminals.frames import AgentQueued
from ..terminals.service import Terminals
from .live import LiveRun
from .open_cli import starter
from .records import RunRecords


class AskedTerminals:
    """A terminal that was closed meanwhile is told nothing."""

    def __init__(self, records: RunRecords, terminals: Terminals) -> None:
        self._records = records
        self._terminals = terminals

    def tell_queue(self) -> None:
        """Say in each which agent waits to be started there, and that one does no longer."""
        for live in self._records.live.values():
            self._tell(live, None if live.claimed else _queued(live))

    def leave(self, live: LiveRun) -> None:
        """The run has ended: where no agent came, say why."""
        if live.new.terminal_id is None or live.has_agent:
            return
        self._tell(live, None)
        with suppress(NotFound):
            terminal = self._terminals.find(live.new.terminal_id)
            terminal.programs.agent_did_not_come()
            terminal.notifications.problem(
                live.run.state, f"{live.run.runtime_title} has not started. {live.run.reason}"
            )

    def _tell(self, live: LiveRun, frame: AgentQueued | None) -> None:
        if live.new.terminal_id is not None:
            with suppress(NotFound):
                self._terminals.find(live.new.terminal_id).notifications.agent_queued(frame)


def _queued(live: LiveRun) -> AgentQueued:
    return AgentQueued(title=live.run.runtime_title, by=starter(live.run), position=live.run.position)
