"""Removes the contents of runs that are too old or too many. `retention.py` chooses what to remove.

Called by `service.py`: when the server has started, and when a run has ended.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from datetime import datetime, timedelta

import msgspec

from ..core.clock import Clock
from ..core.errors import ShuttingDown
from ..storage.commits import Commits
from ..storage.database import Database
from . import store
from .model import FileState
from .record import ChangeRecord
from .retention import Chosen, Kept, Retention
from .run_comparison import WorkingRuns
from .snapshots.folder_snapshots import Looks
from .snapshots.objects import Stopped, fresh_since

log = logging.getLogger(__name__)

COLLECT_SECONDS = 600.0  # at least, between two checks of the kept contents


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
        self._stop = threading.Event()
        self.task: asyncio.Task[None] | None = None

    async def kept(self) -> Kept:
        """Return the disk usage of all runs. Raises `ShuttingDown` if the server stops meanwhile."""
        records = await self._database.read(store.with_contents)
        try:
            return await asyncio.to_thread(self._retention.kept, records, self._stop.is_set)
        except Stopped:
            raise ShuttingDown from None

    def collect_soon(self) -> None:
        """Collect in a task, unless it was started less than 10 minutes ago or the server is stopping.

        Its errors are logged.
        """
        now, last = self._clock.monotonic(), self._collected_at
        too_soon = last is not None and now - last < COLLECT_SECONDS
        if not too_soon and self.task is None and not self._looks.closed:
            self._collected_at = now
            self.task = asyncio.create_task(self._collect())

    def close(self) -> None:
        """Stop a current collection at its next file, because the server stops."""
        self._stop.set()

    async def stop(self) -> None:
        """Wait until nothing of it works any more."""
        self.close()
        if self.task is not None:
            await asyncio.gather(self.task, return_exceptions=True)

    async def _collect(self) -> None:
        try:
            await self.collect()
        except Stopped:
            pass  # the rest is removed the next time
        except Exception:
            log.exception("Could not check the contents kept for earlier runs. They stay.")
        finally:
            self.task = None

    async def collect(self) -> None:
        """Remove contents that are not kept any more.

        Runs, saves and decisions continue meanwhile: new contents are too fresh to be removed, and existing ones are
        marked first. Raises `Stopped` when the server ends.
        """
        oldest = fresh_since()
        records, present, now = await self._noted()
        chosen = await asyncio.to_thread(self._retention.choose, records, present, now, self._stop.is_set)
        chosen = await self._put_lost(records, chosen, now)
        await asyncio.to_thread(self._retention.remove, chosen, oldest, self._stop.is_set)

    async def _noted(self) -> tuple[list[ChangeRecord], list[FileState], datetime]:
        """Return the runs that have their contents, newest first, and the files as they were last seen."""
        async with self._looks.lock, self._working.saving:
            records = await self._database.read(store.with_contents)
            working = self._working.records
            records = [working.get(record.id, record) for record in records]
            records += [each for each in working.values() if each.id not in {one.id for one in records}]
            now = self._clock.now()
            oldest = now - timedelta(days=self._retention.days)
            present = [*self._looks.present(), *await asyncio.to_thread(self._looks.known_before, oldest)]
        return [record for record in records if record.before], present, now

    async def _put_lost(self, records: list[ChangeRecord], chosen: Chosen, now: datetime) -> Chosen:
        """Record which runs lose their contents, except those with a decision in the meantime."""
        async with self._deciding:
            for record in records:
                reason = chosen.lost.get(record.id)
                if reason is None:
                    continue
                present = await self._database.read(lambda c, id=record.id: store.load(c, id))  # type: ignore[misc]
                if present is not None and present != record:
                    chosen = await asyncio.to_thread(self._retention.with_record, chosen, present, self._stop.is_set)
                    continue
                lost = msgspec.structs.replace(record, removed_at=now, reason=reason)
                await self._commits.commit(lambda c, lost=lost: store.replace(c, lost))  # type: ignore[misc]
        return chosen
