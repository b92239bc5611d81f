"""Keeps the index up to date in the background: after changes of the CLIs' files, and every 30 seconds.

Only the server that holds the index's lock reads transcripts; the others use what it has read. All work is done in
worker threads, with the connection of this file.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from time import monotonic

from ...core.clock import Clock
from ...core.events import Event, EventBus, Scope
from ...runs.model import RunFinished
from ...runtimes.session_entries import SessionStore
from ...storage.filesystem.folder_watch import FolderWatch
from ..model import SessionsIndexed
from ..reading.cli_databases import DatabaseCopies
from ..reading.sources import Source, Stores
from .index_file import IndexFile, empty, forget_words, has_outgrown
from .indexing import Batch, Sweep, compare_files, read_sources, sweep

log = logging.getLogger(__name__)
SWEEP_SECONDS = 30.0
REST_SECONDS = 1.0  # between two sweeps, however many changes are reported
LONG_FILES_SECONDS = 5.0  # after which the rest of long files waits for another sweep
TIDYING_SECONDS = 3600.0  # between two checks of what the full-text index holds
RESTING_SHARE = 9  # after a long sweep: that many times as long as it took
START_SECONDS = 3.0  # the start of the server and of the page comes first
REPORTED_IDS = 50
MOST_REPORTED = 1000  # changed files that are compared one by one; more of them are found by a sweep
OF_ADMINISTRATORS = Scope(owner="", visibility="private")


class Indexer:
    """The background task. `indexing`: the number of sessions that are still to be read."""

    def __init__(self, index: IndexFile, stores: Stores, *, clock: Clock, bus: EventBus) -> None:
        self.indexing = 0
        self._index = index
        self._stores = stores
        self._clock = clock
        self._bus = bus
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._watch = FolderWatch(self._changed, lambda _: True, clock=clock, recursive=True)
        self._rebuild = False
        self._reported: set[str] = set()  # paths that have changed since the last comparison
        self._compares_all = True
        self._compared_all = float("-inf")
        self._tidied = float("-inf")
        self._stopping = asyncio.Event()
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begin in a task after 3 seconds. If another server holds the lock, it waits until that server ends."""
        self._task = asyncio.create_task(self._work())
        self._unsubscribe = self._bus.subscribe(self._heard)

    async def stop(self) -> None:
        """End after the transaction that is being written, which takes half a second, or one turn of a long file."""
        self._stopping.set()
        self._unsubscribe()
        self._wake.set()
        await self._watch.stop()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    def rebuild(self) -> None:
        """Empty the index and read everything again, soon. Only the server that holds the lock does it."""
        self._rebuild = self._compares_all = True
        self._wake.set()

    def _heard(self, event: Event, _scope: Scope) -> None:
        """A run may have made the first session of its CLI, whose folder is not watched yet."""
        if isinstance(event, RunFinished):
            self._compares_all = True
            self._wake.set()

    async def _changed(self, paths: Collection[str]) -> None:
        self._reported.update(paths)
        self._compares_all |= not paths or len(self._reported) > MOST_REPORTED
        self._wake.set()

    async def _work(self) -> None:
        await _wait(self._stopping, START_SECONDS)
        while not self._stopping.is_set():
            try:
                await self._hold_lock()
            except (OSError, sqlite3.Error):
                log.exception("The sessions of agent CLIs cannot be indexed now. Trying again.")
                self._wake.clear()
            await _wait(self._wake, SWEEP_SECONDS)

    async def _hold_lock(self) -> None:
        with self._index.writer() as is_writer:
            if not is_writer:
                self._wake.clear()
                return
            connection = await asyncio.to_thread(self._index.open)
            self._compares_all = True
            try:
                while not self._stopping.is_set():
                    self._wake.clear()
                    began = monotonic()
                    copies = DatabaseCopies()
                    try:
                        again = await self._sweep(connection, copies)
                    finally:
                        await asyncio.to_thread(copies.close)
                    if again:
                        self._compares_all = True
                        continue
                    least = max(REST_SECONDS, RESTING_SHARE * (monotonic() - began))
                    await _wait(self._stopping, min(least, SWEEP_SECONDS))
                    await _wait(self._wake, SWEEP_SECONDS)
            finally:
                await asyncio.to_thread(connection.close)

    async def _sweep(self, connection: sqlite3.Connection, copies: DatabaseCopies) -> bool:
        """Read what has changed. Return whether long files are still to be read: what is new comes before them."""
        if self._rebuild:
            self._rebuild = False
            await asyncio.to_thread(empty, connection)
        stores = await asyncio.to_thread(self._stores.all)
        self._compares_all |= await self._watch.follow(
            [store.folder for of_runtime in stores.values() for store in of_runtime]
        )
        found = await self._compare(connection, stores, copies)
        self.indexing = len(found.changed)
        if found.gone and not found.changed:
            self._publish(())
        waiting, until = found.changed, monotonic() + LONG_FILES_SECONDS
        while waiting and not self._stopping.is_set() and not self._rebuild:
            reading = read_sources(connection, self._waiting(stores, waiting), copies)
            waiting = await self._read(reading)
            if monotonic() > until:
                break
        self.indexing = len(waiting)
        return bool(waiting) or await self._tidy(connection)

    async def _compare(
        self, connection: sqlite3.Connection, stores: dict[str, tuple[SessionStore, ...]], copies: DatabaseCopies
    ) -> Sweep:
        """Find what has changed: among the reported files, and every 30 seconds among all."""
        reported, self._reported = self._reported, set()
        is_due = self._compares_all or monotonic() - self._compared_all >= SWEEP_SECONDS
        if not is_due and reported:
            found = await asyncio.to_thread(compare_files, connection, stores, sorted(reported))
            if found is not None:
                return found
        self._compares_all, self._compared_all = False, monotonic()
        return await asyncio.to_thread(sweep, connection, stores, copies)

    async def _tidy(self, connection: sqlite3.Connection) -> bool:
        """Begin the full-text index again if it holds too much. Return whether transcripts are to be read for that."""
        if monotonic() - self._tidied < TIDYING_SECONDS:
            return False
        self._tidied = monotonic()
        if not await asyncio.to_thread(has_outgrown, connection):
            return False
        log.info("The full-text index of past sessions is built again, because most of it is about replaced entries.")
        await asyncio.to_thread(forget_words, connection)
        return True

    async def _read(self, reading: Iterator[Batch]) -> tuple[Source, ...]:
        """Read one turn of each, and return those of which a part is still to be read."""
        unfinished: list[Source] = []
        while (batch := await asyncio.to_thread(next, reading, None)) is not None:
            unfinished += batch.unfinished
            self.indexing = max(0, self.indexing - len(batch.ids) + len(batch.unfinished))
            self._publish(batch.ids)
        return tuple(unfinished)

    def _waiting(
        self, stores: dict[str, tuple[SessionStore, ...]], sources: Iterable[Source]
    ) -> Iterable[tuple[SessionStore, Source]]:
        for source in sources:
            if self._stopping.is_set():
                return
            yield stores[source.runtime][source.store], source

    def _publish(self, ids: tuple[str, ...]) -> None:
        self._bus.publish(SessionsIndexed(ids=ids[:REPORTED_IDS], indexing=self.indexing), OF_ADMINISTRATORS)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Wait for an event, at most this long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
