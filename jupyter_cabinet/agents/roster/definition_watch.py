"""Notices changes by hand to the files of agents or plays, and updates the services. Called by `wiring.py`.

The operating system reports changes within half a second. Changes that it does not report (on network file systems, or
if no more watchers are available) are noticed by a scan every half minute.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path

from ...core.clock import Clock, Timer
from ...runs.rules.trigger_chain import PLAYBOOKS
from ...storage.filesystem.folder_watch import FolderWatch
from ..files.safe_files import AGENTS
from ..run_kinds.guarded_files import Marks, folders, marks

log = logging.getLogger(__name__)

LOOK_SECONDS = 30.0  # between two scans without a report

_TOPS = (AGENTS, PLAYBOOKS)


class DefinitionWatch:
    """Watches the folders of agents and plays. `follow`: updates the services and announces changes."""

    def __init__(self, *, root: Path, clock: Clock, follow: Callable[[], Awaitable[None]]) -> None:
        self._root = root.resolve()
        self._clock = clock
        self._follow = follow
        self._watch = FolderWatch(self._hear, self._is_of_interest, clock=clock, recursive=False)
        self._wake = asyncio.Event()
        self._worker: asyncio.Task[None] | None = None
        self._timer: Timer | None = None
        self._seen: Marks = {}

    async def start(self) -> None:
        """Start watching, in a task of the running event loop. The caller has loaded the current files already.

        If `follow` raises an error, that is logged, and it is called again after at most 30 seconds.
        """
        self._seen = await asyncio.to_thread(marks, self._root)
        self._worker = asyncio.create_task(self._work())

    async def stop_following(self) -> None:
        """Stop calling `follow`, and ask the watcher's thread to end. Call `stop` soon after."""
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        if self._timer is not None:
            self._timer.cancel()
        self._watch.ask_to_stop()

    async def stop(self) -> None:
        """Stop watching, and wait for the watcher's thread."""
        await self.stop_following()
        await self._watch.stop()

    async def _work(self) -> None:
        while True:
            try:
                await self._look()
            except Exception:
                log.exception("Changes by hand could not be followed; it is tried again")
            self._timer = self._clock.call_at(self._clock.monotonic() + LOOK_SECONDS, self._wake.set)
            await self._wake.wait()
            self._wake.clear()
            self._timer.cancel()

    async def _look(self) -> None:
        is_new = True
        while is_new:  # another scan finds what was created before a new watcher was in place
            is_new = await self._watch.follow(await asyncio.to_thread(folders, self._root))
            now = await asyncio.to_thread(marks, self._root)
            if now != self._seen:
                await self._follow()
                self._seen = now

    async def _hear(self, paths: Collection[str]) -> None:
        self._wake.set()

    def _is_of_interest(self, path: str) -> bool:
        """Return whether a path is the folder of agents or of plays, or lies in one of them."""
        relative = path.removeprefix(f"{self._root}/")
        return relative in _TOPS or relative.startswith(tuple(f"{top}/" for top in _TOPS))
