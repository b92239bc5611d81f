"""Removes the contents of runs that are older, or more, than is to be kept. What to remove is `retention.py`'s to say.

Called by `service.py`: when the server has started, and when a run has ended.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from datetime import timedelta

import msgspec

from ..core.clock import Clock
from ..storage.commits import Commits
from ..storage.database import Database
from . import store
from .looks import Looks
from .retention import Kept, Retention
from .working import WorkingRuns

log = logging.getLogger(__name__)

COLLECT_SECONDS = 600.0  # at least, from one look through what is kept to the next


class Collector:
    """One per server. `deciding`: held while somebody decides about a run's changes."""

    def __init__(
        self,
        *,
        retention: Retention,
        looks: Looks,
        working: WorkingRuns,
        deciding: asyncio.Lock,
        database: Database,
        commits: Commits,
        clock: Clock,
    ) -> None:
        self._retention = retention
        self._looks = looks
        self._working = working
        self._deciding = deciding
        self._database = database
        self._commits = commits
        self._clock = clock
        self._collected_at: float | None = None  # monotonic
        self.task: asyncio.Task[None] | None = None

    async def kept(self) -> Kept:
        """How much is kept of all runs."""
        records = await self._database.read(store.with_contents)
        return await asyncio.to_thread(self._retention.kept, records)

    def collect_soon(self) -> None:
        """Unless it was done lately."""
        now, last = self._clock.monotonic(), self._collected_at
        too_soon = last is not None and now - last < COLLECT_SECONDS
        if not too_soon and self.task is None and not self._looks.closed:
            self._collected_at = now
            self.task = asyncio.create_task(self._collect())

    def close(self) -> None:
        """The server ends."""
        if self.task is not None:
            self.task.cancel()

    async def stop(self) -> None:
        """Until nothing of it works any more."""
        self.close()
        if self.task is not None:
            await asyncio.gather(self.task, return_exceptions=True)

    async def _collect(self) -> None:
        try:
            await self.collect()
        except Exception:
            log.exception("What is kept of earlier runs could not be looked through. It stays.")
        finally:
            self.task = None

    async def collect(self) -> None:
        """Remove what is not to be kept. What somebody decides about meanwhile stays."""
        async with self._deciding, self._looks.lock, self._working.saving:
            records = await self._database.read(store.with_contents)
            working = self._working.records
            records = [working.get(record.id, record) for record in records]
            records += [each for each in working.values() if each.id not in {one.id for one in records}]
            records = [record for record in records if record.before]
            now = self._clock.now()
            oldest = now - timedelta(days=self._retention.days)
            present = [*self._looks.present(), *await asyncio.to_thread(self._looks.known_before, oldest)]
            chosen = await asyncio.to_thread(self._retention.choose, records, present, now)
            for record in records:
                if reason := chosen.lost.get(record.id):
                    lost = msgspec.structs.replace(record, removed_at=now, reason=reason)
                    await self._commits.commit(lambda c, lost=lost: store.replace(c, lost))  # type: ignore[misc]
            stop = threading.Event()
            try:
                await asyncio.to_thread(self._retention.remove, chosen, stop.is_set)
            finally:
                stop.set()  # also where this was cancelled, which no thread hears of
