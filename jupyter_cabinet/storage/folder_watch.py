"""Notices changes in folders as soon as the operating system reports them, with watchfiles.

What a change means, and which folders matter, its callers know. Network file systems report nothing about changes that
other machines make, so whoever must not miss one also looks from time to time.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path

import watchfiles

from ..core.clock import Clock

log = logging.getLogger(__name__)

GATHERED_MS = 500  # changes of this time are reported together
STEP_MS = 200  # between two looks of the watcher's thread: each costs processor time, and stopping waits for one
AGAIN_SECONDS = 60.0  # after the operating system has refused to watch
MISSING_AGAIN_SECONDS = 1.0  # after a folder was gone before it was watched


class FolderWatch:
    """Watches some folders. There is no watcher while there are none.

    `changed`: receives the absolute paths that have changed; none, where a folder was gone before it could be watched.
    It must neither `follow` nor `stop`. `is_of_interest`: of such a path.
    """

    def __init__(
        self,
        changed: Callable[[Collection[str]], Awaitable[None]],
        is_of_interest: Callable[[str], bool],
        *,
        clock: Clock,
        recursive: bool,
    ) -> None:
        self._changed = changed
        self._is_of_interest = is_of_interest
        self._clock = clock
        self._recursive = recursive
        self._folders: dict[Path, tuple[int, int]] = {}
        self._stop = asyncio.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()  # of those who start and stop a watcher

    @property
    def is_watching(self) -> bool:
        """Whether there is a watcher now."""
        return self._watcher is not None

    async def follow(self, folders: Collection[Path]) -> bool:
        """Watch these folders from now on, and no others. Whether the watcher is a new one: what has changed before it
        was in place is not reported."""
        async with self._turn:
            found = await asyncio.to_thread(_identities, folders)
            if found == self._folders:
                return False
            await self._end()
            self._folders = found
            if found:
                self._stop = asyncio.Event()
                self._watcher = asyncio.create_task(self._watch(tuple(found), self._stop))
                await asyncio.sleep(0)  # the task runs until its watcher is in place
            return True

    def ask_to_stop(self) -> None:
        """Have the watcher stop soon; `stop` need not wait for it as long then."""
        self._stop.set()

    async def stop(self) -> None:
        """Watch nothing any more."""
        async with self._turn:
            await self._end()

    async def _end(self) -> None:
        watcher, self._watcher, self._folders = self._watcher, None, {}
        if watcher is not None:
            self._stop.set()
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)

    async def _watch(self, folders: tuple[Path, ...], stop: asyncio.Event) -> None:
        while not stop.is_set():
            try:
                async for changes in watchfiles.awatch(
                    *folders,
                    watch_filter=lambda _change, path: self._is_of_interest(path),
                    debounce=GATHERED_MS,
                    step=STEP_MS,
                    stop_event=stop,
                    recursive=self._recursive,
                ):
                    await self._changed(sorted({path for _kind, path in changes}))
            except FileNotFoundError:
                await self._clock.sleep(MISSING_AGAIN_SECONDS)
                await self._changed(())
            except (OSError, RuntimeError) as error:  # too many folders
                log.warning("Files cannot be watched now; it is tried again: %s", error)
                await self._clock.sleep(AGAIN_SECONDS)


def _identities(folders: Collection[Path]) -> dict[Path, tuple[int, int]]:
    """Those that are there. Another folder of the same name is another one: its watcher would be silent."""
    found = {}
    for folder in folders:
        try:
            about = os.lstat(folder)
        except OSError:
            continue
        found[folder] = (about.st_dev, about.st_ino)
    return found
