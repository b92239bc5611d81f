"""A run that is queued or works in this server, as long as it is not final."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from ..core.clock import Clock
from ..runtimes.model import (
    AnyAgentEvent,
    Failure,
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
from .output import OutputJournal
from .watchdog import Progress


class LiveRun:
    """What this server knows of a run beyond its record. `records.RunRecords` alone changes `run`."""

    def __init__(self, run: Run, new: NewRun, clock: Clock) -> None:
        self.run = run
        self.new = new
        self.lock = asyncio.Lock()  # one change of the record at a time, in order
        self.begun = asyncio.Event()  # its journal is open, or it ended before
        self.finished = asyncio.Event()
        self.recorded = False  # it stands in the database
        self.claimed = False  # somebody works on it; it is no longer for the queue to start
        self.journal: OutputJournal | None = None
        self.progress: Progress | None = None
        self.stop: Callable[[], Coroutine[Any, Any, None]] | None = None
        self.limit_passed: Failure | None = None
        self.cancelled_by: str | None = None
        self.interrupted = False
        self.has_agent = False  # a CLI in a terminal works on it, or did
        self.lost = False  # another server has taken it over
        self.native_id: str | None = None
        self.usage: Usage | None = None
        self.warnings: list[str] = []
        self.questions: dict[str, str] = {}  # open ones by id: what it waits for
        self._clock = clock
        self._running_since: float | None = None  # monotonic

    @property
    def worked_seconds(self) -> float:
        """Since it has been running; 0 before."""
        return 0.0 if self._running_since is None else self._clock.monotonic() - self._running_since

    def runs(self) -> None:
        """Its process lives."""
        if self._running_since is None:
            self._running_since = self._clock.monotonic()

    def begin(self, journal: OutputJournal) -> None:
        now = self._clock.monotonic()
        self.journal = journal
        self.progress = Progress(started=now, last_output=now)
        self.begun.set()

    @property
    def ending(self) -> bool:
        """Somebody or something has decided that it shall end."""
        return self.interrupted or self.cancelled_by is not None or self.limit_passed is not None

    def take(self, events: list[AnyAgentEvent]) -> None:
        """Put what the CLI said into the journal, and remember what belongs on the record."""
        assert self.journal is not None and self.progress is not None
        if self.journal.ended:
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
        if self.progress is not None:
            self.progress.saw_output(self._clock.monotonic(), size)

    def waits(self) -> None:
        if self.progress is not None:
            self.progress.waits(self._clock.monotonic())

    def works(self) -> None:
        if self.progress is not None:
            self.progress.works(self._clock.monotonic())
