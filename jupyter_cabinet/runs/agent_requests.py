"""Notifications in open terminals about agents that people requested there: queued, or not started.

Called by `dispatch/dispatcher.py`. It starts nothing and changes no record.
"""

from __future__ import annotations

from contextlib import suppress

from ..core.errors import NotFound
from ..terminals.frames import AgentQueued
from ..terminals.service import Terminals
from .dispatch.live import LiveRun
from .manual import wanted_terminal
from .records import RunRecords


class AgentRequests:
    """The terminals in which live runs are to start an agent. A terminal that was closed in the meantime is skipped."""

    def __init__(self, records: RunRecords, terminals: Terminals) -> None:
        self._records = records
        self._terminals = terminals

    def tell_queue(self, *, paused_by: str | None) -> None:
        """Show in each terminal which agent is queued to start there. Remove the notice once its run was claimed.

        `paused_by`: who has paused all work; None if it is not paused.
        """
        for live in self._records.live.values():
            self._tell(live, None if live.life.claimed else _queued(live, paused_by))

    def leave(self, live: LiveRun) -> None:
        """Remove the notice of a run that has ended, and report in the terminal why its agent has not started.

        Without effect for a run that named no terminal, or whose agent has started.
        """
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


def _queued(live: LiveRun, paused_by: str | None) -> AgentQueued:
    run = live.run
    return AgentQueued(title=run.runtime_title, by=run.trigger.person, position=run.position, paused_by=paused_by)
