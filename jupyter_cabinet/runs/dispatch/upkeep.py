"""What happens to runs without a request: limits, expired questions, the lease of this server, idle CLIs.

`service.py` starts it. The limits are in `rules/limits.py`.
"""

from __future__ import annotations

import asyncio
import logging
import sys

from ...core.errors import Unavailable
from ...runtimes.model import Failure
from ...sandboxes.process_table.resources import use_below
from ...schedules.leases import RENEW_EVERY_SECONDS
from ..reconcile import Reconciler
from ..records import RunRecords
from ..required_services import RequiredServices
from ..rules import lifecycle, limits
from ..settings import RunSettings
from .dispatcher import Dispatcher
from .live import LiveRun

log = logging.getLogger(__name__)

WATCH_SECONDS = 1.0


class Upkeep:
    """Two loops, which end with the tasks of the dispatcher."""

    def __init__(
        self,
        *,
        records: RunRecords,
        services: RequiredServices,
        dispatcher: Dispatcher,
        reconciler: Reconciler,
        settings: RunSettings,
    ) -> None:
        self._records = records
        self._approvals = services.approvals
        self._executor = services.executor
        self._trust = services.trust
        self._places = services.executor.places
        self._dispatcher = dispatcher
        self._gate = dispatcher.gate
        self._reconciler = reconciler
        self._settings = settings
        self._reads_resources = False

    def start(self) -> None:
        """Start both loops as tasks, and return at once. Their errors are logged, and the loops continue."""
        self._dispatcher.spawn(self._watch())
        self._dispatcher.spawn(self._keep())

    async def _watch(self) -> None:
        """Stop runs that exceed a limit, and expire questions. While no run works, the loop sleeps."""
        while True:
            await self._dispatcher.work_begun.wait()
            await self._places.clock.sleep(WATCH_SECONDS)
            if not self._records.working():
                self._dispatcher.work_begun.clear()
            self._check_limits()
            if not self._reads_resources:
                self._dispatcher.spawn(self._look_at_resources())
            await self._expire_questions()

    def _check_limits(self) -> None:
        now = self._places.clock.monotonic()
        for live in [live for live in self._records.live.values() if not live.life.stopping]:
            bounds = limits.of_attempt(self._settings.limits, live.run.timeouts, live.run.attempt)
            passed = live.progress and limits.verdict(live.progress, bounds, now)
            if passed:
                self._limit(live, passed)

    async def _look_at_resources(self) -> None:
        """Note how much memory and how many processes each working run has. The other limits do not wait for this."""
        self._reads_resources = True
        try:
            await self._note_resources()
            self._check_limits()
        finally:
            self._reads_resources = False

    async def _note_resources(self) -> None:
        working = {
            live.execution.pid: live.progress
            for live in self._records.live.values()
            if live.execution is not None and live.execution.pid is not None and live.progress is not None
        }
        if not working:
            return
        limit = self._settings.limits.memory_bytes or sys.maxsize
        for pid, use in (await asyncio.to_thread(use_below, tuple(working), memory_limit=limit)).items():
            working[pid].memory_bytes, working[pid].threads = use.memory_bytes, use.threads

    def _limit(self, live: LiveRun, passed: Failure) -> None:
        step = lifecycle.limit_passed(live.life, passed)
        live.follow(step.life)
        if step.stop and live.execution is not None:
            self._dispatcher.spawn(live.execution.stop(at_once=passed.kind == "limit"))

    async def _expire_questions(self) -> None:
        try:
            await self._approvals.expire()
        except Exception:
            log.exception("A question could not be closed; it is tried again")

    async def _keep(self) -> None:
        """Regularly renew the lease, take over from servers that died, and close idle CLIs."""
        while True:
            await self._places.clock.sleep(RENEW_EVERY_SECONDS)
            try:
                for left in await self._reconciler.renew():
                    self._records.hold(left.run, left.new, on_record=True)
                await self._approvals.withdraw_orphans(self._records.unfinished_among)
                await self._executor.clis.close_idle()
                self._gate.trusted = (await self._trust.state()).confirmed
                await self._gate.switch.read()
                await self._records.keep_reserve()
                self._dispatcher.fill()
            except Unavailable as error:
                log.warning("The lease of this server could not be renewed. Trying again: %s", error.message)
                self._reconciler.lost_sight()
            except Exception:
                log.exception("Keeping the queue failed; it is tried again")
