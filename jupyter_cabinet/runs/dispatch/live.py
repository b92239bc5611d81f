"""The state in memory of a run that is queued or working in this server, until the run is final."""

from __future__ import annotations

import asyncio

from ...core.clock import Clock
from ...core.people import Principal
from ...execution.model import Execution
from ...execution.output import OutputJournal
from ...runtimes.model import (
    AnyAgentEvent,
    Retrying,
    SessionStarted,
    TextBlock,
    TextDelta,
    ToolCall,
    Usage,
    UsageReported,
    Warned,
)
from ..model import NewRun, Run
from ..rules.asked_calls import AskedCalls
from ..rules.lifecycle import Life
from ..rules.limits import Progress


class LiveRun:
    """A run in this server's memory. Only `records.RunRecords` changes `run`, its record, and `life`."""

    def __init__(self, run: Run, new: NewRun, life: Life, clock: Clock, *, by_administrator: bool) -> None:
        """`by_administrator`: the run was requested by a person who administers this server."""
        self.run = run
        self.new = new
        self.life = life
        self.lock = asyncio.Lock()  # held while a change is stored: one at a time, in order
        self.begun = asyncio.Event()  # set when its journal is open, or when it ended before that
        self.stopping = asyncio.Event()  # set when something has decided that the run must end
        self.finished = asyncio.Event()
        self.journal: OutputJournal | None = None
        self.progress: Progress | None = None
        self.execution: Execution | None = None
        self.calls = AskedCalls()
        self.native_id: str | None = None
        self.usage: Usage | None = None
        self.warnings = list(run.warnings)
        self._clock = clock
        self._by_administrator = by_administrator
        self._running_since: float | None = None  # on the monotonic clock; None: not yet
        self._worked_before = 0.0  # seconds, in earlier attempts

    @property
    def owner(self) -> Principal:
        """Return the owner of the run, with the rights that they had when they requested it from this server.

        For a run of an earlier server, or one that was typed into a CLI, the owner never counts as an administrator.
        """
        run = self.run
        return Principal(
            username=run.owner,
            display_name=run.trigger.display_name,
            shared_token=run.visibility == "server",
            administrator=self._by_administrator,
        )

    @property
    def worked_seconds(self) -> float:
        """Return the seconds since it began to run, summed over all attempts, including waiting; 0 before that."""
        now = self._clock.monotonic()
        return self._worked_before + (0.0 if self._running_since is None else now - self._running_since)

    @property
    def waits_for_seconds(self) -> float:
        """Return for how many seconds it has been waiting for a person; 0 if it is not waiting."""
        since = self.progress.waiting_since if self.progress is not None else None
        return 0.0 if since is None else self._clock.monotonic() - since

    def prepare_again(self) -> None:
        """Reset the state of the attempt that has failed, because another attempt follows.

        Journal and warnings are kept.
        """
        self._worked_before, self._running_since = self.worked_seconds, None
        self.execution = self.progress = self.native_id = None
        self.calls = AskedCalls()

    def begin(self, journal: OutputJournal) -> None:
        """Store output in this journal from now on, and start the clock of the limits."""
        now = self._clock.monotonic()
        self.journal = journal
        self.progress = Progress(started=now, last_output=now)
        self.begun.set()

    def follow(self, life: Life) -> None:
        """Set the life of the run, and `stopping` if it is to be stopped. Nothing is stored, and no process is ended.

        Time in which it waits for a person or to be started does not count towards its limits.
        """
        self.life = life
        if life.stopping:
            self.stopping.set()
        now = self._clock.monotonic()
        if life.state == "running" and self._running_since is None:
            self._running_since = now
        if self.progress is not None:
            waits = life.state == "waiting" or (life.state == "starting" and life.reason != "")
            (self.progress.waits if waits else self.progress.works)(now)

    def take(self, events: list[AnyAgentEvent]) -> None:
        """Append the CLI's events to the journal, and keep the session id, usage and warnings for the record.

        Without effect before `begin` and after the journal was closed. The time of silence restarts.
        """
        if self.journal is None or self.progress is None or self.journal.ended:
            return
        now = self._clock.monotonic()
        self.progress.last_output = now
        for event in events:
            self.journal.append(event, now - self.progress.started)
            match event:
                case SessionStarted(native_id=native_id):
                    self.native_id = native_id
                case UsageReported(usage=usage):
                    self.usage = usage
                case Retrying(attempt=attempt, reason=reason):
                    self.progress.retried(attempt, reason)
                case TextBlock() | TextDelta() | ToolCall():
                    self.progress.got_on()
                case Warned(message=message) if message not in self.warnings:
                    self.warnings.append(message)

    def count(self, size: int) -> None:
        """Count output of the CLI, in bytes. Without effect before `begin`."""
        if self.progress is not None:
            self.progress.saw_output(self._clock.monotonic(), size)

    def let_go(self) -> None:
        """Close the journal and wake everything that waits for the run: it has ended, or another server has taken it
        over.
        """
        if self.journal is not None and not self.journal.ended:
            self.journal.end()
        self.begun.set()
        self.finished.set()
