"""What CLIs tell, brought to their runs: output, questions, pauses. The worker's `CliListener`.

It changes records through `records.py` and decides nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from ..runtimes.model import AnyAgentEvent, PermissionAnswered, PermissionAsked
from .approval_rules import shortened
from .approvals import Approvals
from .live import LiveRun
from .open_cli import OpenCli
from .records import RunRecords

log = logging.getLogger(__name__)

LONGEST_REASON = 1000  # characters
# Hands an answer to a CLI: question, option, note. False: it no longer asks.
Answer = Callable[[str, str, str], Awaitable[bool]]


class CliNews:
    """`typed`: called with what a person typed into a CLI that had nothing to do."""

    def __init__(self, records: RunRecords, approvals: Approvals) -> None:
        self.typed: Callable[[OpenCli, str], None] = lambda cli, text: None
        self._records = records
        self._approvals = approvals
        self._tasks: set[asyncio.Task[object]] = set()

    async def settle(self) -> None:
        """Returns when all of it is on record."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def withdraw(self, live: LiveRun) -> None:
        """The run has ended: nobody waits for an answer any more."""
        try:
            await self._approvals.close(live.run.id, None, "The run ended before anybody answered")
        except Exception:
            log.exception("The questions of run %s stay open on record until the next start", live.run.id)

    async def expire(self) -> None:
        """Close the questions that nobody has answered in time."""
        try:
            await self._approvals.expire()
        except Exception:
            log.exception("A question could not be closed; it is tried again")

    async def put_right(self) -> None:
        """Close the questions of servers that died."""
        await self._approvals.put_right()

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

    def take(self, live: LiveRun, events: list[AnyAgentEvent], answer: Answer) -> None:
        """What a headless CLI says; `answer` reaches it. It goes on with what it is answered, and tells nobody."""

        async def answered(question_id: str, option: str, note: str) -> bool:
            heard = await answer(question_id, option, note)
            if heard:
                self._answered(live, question_id, "")
            return heard

        live.take(events)
        for event in events:
            if isinstance(event, PermissionAsked):
                self._ask(live, event, answered)
            elif isinstance(event, PermissionAnswered):
                self._answered(live, event.question_id, "The agent no longer asks")

    def on_asked(self, cli: OpenCli, asked: PermissionAsked) -> bool:
        live = self._live_of(cli)
        if live is not None:
            self._ask(live, asked, cli.answer)
        return live is not None

    def on_answered(self, cli: OpenCli, question_id: str) -> None:
        live = self._live_of(cli)
        if live is not None:
            self._answered(live, question_id, "Answered in the terminal", held=bool(cli.held))

    def on_left(self, cli: OpenCli, question_id: str) -> None:
        """The run goes on waiting: its question stands in the terminal."""
        live = self._live_of(cli)
        if live is not None:
            self._later(self._approvals.close(live.run.id, question_id, "Left to the terminal"))

    def _ask(self, live: LiveRun, asked: PermissionAsked, answer: Answer) -> None:
        reason = shortened(asked.question, LONGEST_REASON)
        live.questions[asked.question_id] = reason
        live.waits()
        self._later(self._records.wait_for(live, reason))
        if not asked.options:
            return

        async def deliver(option: str, note: str) -> bool:
            return await answer(asked.question_id, option, note)

        self._later(self._approvals.ask(live.run, asked, deliver))

    def _answered(self, live: LiveRun, question_id: str, outcome: str, *, held: bool = False) -> None:
        """It goes on, or waits for the answer to another question."""
        if live.questions.pop(question_id, None) is None:
            return
        self._later(self._approvals.close(live.run.id, question_id, outcome))
        if live.questions:
            self._later(self._records.wait_for(live, next(iter(live.questions.values()))))
        elif not held:
            live.works()
            self._later(self._records.advance(live, "running"))

    def hold_up(self, live: LiveRun, reason: str) -> None:
        """Its instruction cannot be typed for this reason; an empty one: it goes on. Such time does not count."""
        if reason:
            live.waits()
            self._later(self._records.wait_for(live, reason))
        else:
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
