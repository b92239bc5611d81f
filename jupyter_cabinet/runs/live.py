"""A run that is queued or works in this server, as long as it is not final."""

from __future__ import annotations

import asyncio

from ..core.clock import Clock
from ..execution.model import Execution
from ..execution.output import OutputJournal
from ..runtimes.model import (
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
from .model import NewRun, Run
from .rules.asked_calls import AskedCalls
from .rules.lifecycle import Life
from .rules.limits import Progress


class LiveRun:
    """What this server knows of a run. `records.RunRecords` alone changes `run`, the record, and `life`."""

    def __init__(self, run: Run, new: NewRun, life: Life, clock: Clock) -> None:
        self.run = run
        self.new = new
        self.life = life
        self.lock = asyncio.Lock()  # one change of the record at a time, in order
        self.begun = asyncio.Event()  # its journal is open, or it ended before
        self.stopping = asyncio.Event()  # it is to end, whatever it does
        self.finished = asyncio.Event()
        self.journal: OutputJournal | None = None
        self.progress: Progress | None = None
        self.execution: Execution | None = None
        self.calls = AskedCalls()
        self.native_id: str | None = None
        self.usage: Usage | None = None
        self.warnings = list(run.warnings)
        self._clock = clock
        self._running_since: float | None = None  # monotonic
        self._worked_before = 0.0  # seconds, in attempts that failed

    @property
    def worked_seconds(self) -> float:
        """Since it has been running, in all attempts; 0 before."""
        now = self._clock.monotonic()
        return self._worked_before + (0.0 if self._running_since is None else now - self._running_since)

    @property
    def waits_for_seconds(self) -> float:
        """For how long it has been waiting for a person now; 0 where it does not."""
        since = self.progress.waiting_since if self.progress is not None else None
        return 0.0 if since is None else self._clock.monotonic() - since

    def prepare_again(self) -> None:
        """An attempt has failed, and another one follows."""
        self._worked_before, self._running_since = self.worked_seconds, None
        self.execution = self.progress = self.native_id = None
        self.calls = AskedCalls()

    def begin(self, journal: OutputJournal) -> None:
        """What it says is kept from now on, and the time counts."""
        now = self._clock.monotonic()
        self.journal = journal
        self.progress = Progress(started=now, last_output=now)
        self.begun.set()

    def follow(self, life: Life) -> None:
        """It is so from now on. Time in which it waits for a person does not count."""
        self.life = life
        if life.stopping:
            self.stopping.set()
        now = self._clock.monotonic()
        if life.state == "running" and self._running_since is None:
            self._running_since = now
        if self.progress is not None:
            (self.progress.waits if life.state == "waiting" else self.progress.works)(now)

    def take(self, events: list[AnyAgentEvent]) -> None:
        """Put what the CLI said into the journal, and remember what belongs on the record."""
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
        """The CLI has written so many bytes."""
        if self.progress is not None:
            self.progress.saw_output(self._clock.monotonic(), size)

    def let_go(self) -> None:
        """It is over, or no longer this server's: readers need not wait."""
        if self.journal is not None and not self.journal.ended:
            self.journal.end()
        self.begun.set()
        self.finished.set()
