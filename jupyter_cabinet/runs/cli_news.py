"""What open CLIs tell, brought to the runs that work in them: output, questions, pauses. The worker's `CliListener`.

It changes records through `records.py` and decides nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from ..runtimes.model import AnyAgentEvent
from .live import LiveRun
from .open_cli import OpenCli
from .records import RunRecords


class CliNews:
    """`typed`: called with what a person typed into a CLI that had nothing to do."""

    def __init__(self, records: RunRecords) -> None:
        self.typed: Callable[[OpenCli, str], None] = lambda cli, text: None
        self._records = records
        self._tasks: set[asyncio.Task[object]] = set()

    async def settle(self) -> None:
        """Returns when all of it is on record."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def on_typed(self, cli: OpenCli, text: str) -> None:
        self.typed(cli, text)

    def on_events(self, cli: OpenCli, events: list[AnyAgentEvent]) -> None:
        live = self._live_of(cli)
        if live is not None:
            live.take(events)

    def on_bytes(self, cli: OpenCli, count: int) -> None:
        live = self._live_of(cli)
        if live is not None:
            live.count(count)

    def on_asked(self, cli: OpenCli, question: str) -> None:
        live = self._live_of(cli)
        if live is not None:
            live.waits()
            self._later(self._records.advance(live, "waiting", reason=question))

    def on_answered(self, cli: OpenCli) -> None:
        live = self._live_of(cli)
        if live is not None and not cli.held:
            live.works()
            self._later(self._records.advance(live, "running"))

    def on_held(self, cli: OpenCli, reason: str) -> None:
        """A person has paused it: the time does not count."""
        live = self._live_of(cli)
        if live is not None:
            live.waits()
            self._later(self._records.wait_for(live, reason))

    def on_let_go(self, cli: OpenCli, question: str | None) -> None:
        """It goes on where it was: at work, or at a question."""
        live = self._live_of(cli)
        if live is None:
            return
        if question is not None:
            self._later(self._records.wait_for(live, question))
        else:
            live.works()
            self._later(self._records.advance(live, "running"))

    def _live_of(self, cli: OpenCli) -> LiveRun | None:
        return self._records.live.get(cli.last.id)

    def _later(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
