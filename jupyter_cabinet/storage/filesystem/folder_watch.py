"""Notices changes in folders as soon as the operating system reports them, with watchfiles.

The callers know what a change means, and which folders matter. Network file systems do not report changes of other
machines, so callers that must not miss one also check from time to time.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import aclosing, suppress
from pathlib import Path

# https://watchfiles.helpmanual.io/api/rust_backend/
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

from ...core.clock import Clock

log = logging.getLogger(__name__)

GATHERED_MS = 500  # changes within this time are reported together
STEP_MS = 200  # between two checks of the watcher's thread: each costs processor time, and stopping waits for one
AGAIN_SECONDS = 60.0  # after the operating system has refused to watch
MISSING_AGAIN_SECONDS = 1.0  # after a folder disappeared before it was watched


class FolderWatch:
    """Watches some folders. There is no watcher while there are none.

    `changed`: receives the absolute paths that have changed; none, if a folder disappeared before it could be watched,
    or if changes of about a second may have been missed, because the name of a file is not UTF-8. It must neither
    `follow` nor `stop`. `is_of_interest`: decides about such a path.
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
        self._stop = threading.Event()
        self._watcher: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()  # of those who start and stop a watcher

    @property
    def is_watching(self) -> bool:
        """Whether there is a watcher now."""
        return self._watcher is not None

    async def follow(self, folders: Collection[Path]) -> bool:
        """Watch these folders from now on, and no others. Return False if they are watched already, else True.

        Folders that do not exist are left out; if none is left, nothing is watched. Changes before a new watcher was
        started are not reported.
        """
        async with self._turn:
            found = await asyncio.to_thread(_identities, folders)
            if found == self._folders:
                return False
            await self._end()
            self._folders = found
            if found:
                self._stop = threading.Event()
                self._watcher = asyncio.create_task(self._watch(tuple(found), self._stop))
                await asyncio.sleep(0)  # the task runs until its watcher has started
            return True

    def ask_to_stop(self) -> None:
        """Ask the watcher to stop soon; `stop` then need not wait as long."""
        self._stop.set()

    async def stop(self) -> None:
        """Watch nothing any more, and wait until a running call of `changed` is cancelled.

        `follow` can start it again.
        """
        async with self._turn:
            await self._end()

    async def _end(self) -> None:
        watcher, self._watcher, self._folders = self._watcher, None, {}
        if watcher is not None:
            self._stop.set()
            watcher.cancel()
            await asyncio.gather(watcher, return_exceptions=True)

    async def _watch(self, folders: tuple[Path, ...], stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                async with aclosing(_reports(folders, stop, recursive=self._recursive)) as reports:
                    async for paths in reports:
                        if of_interest := sorted(filter(self._is_of_interest, paths)):
                            await self._changed(of_interest)
            except FileNotFoundError:
                await self._clock.sleep(MISSING_AGAIN_SECONDS)
                await self._changed(())
            except WatchfilesRustInternalError as error:  # a file's name is not UTF-8: this watcher reports no more
                log.info("Watching files again: %s", error)
                await self._clock.sleep(MISSING_AGAIN_SECONDS)
                await self._changed(())
            except (OSError, RuntimeError) as error:  # too many folders
                log.warning("Files cannot be watched now. Trying again: %s", error)
                await self._clock.sleep(AGAIN_SECONDS)


class _End:
    """Stops a watcher's thread. It also stops with the main thread.

    An interrupt stops Jupyter's event loop without any cleanup, and Python waits for all threads before the process
    exits.
    """

    def __init__(self, *events: threading.Event) -> None:
        self._events = events

    def is_set(self) -> bool:
        return any(event.is_set() for event in self._events) or not threading.main_thread().is_alive()


async def _reports(folders: tuple[Path, ...], stop: threading.Event, *, recursive: bool) -> AsyncGenerator[set[str]]:
    """Yield the changed paths, as they are reported, until `stop`.

    `watchfiles.awatch` is not used because its threads outlive an event loop that was stopped.
    """
    loop = asyncio.get_running_loop()
    left = threading.Event()
    reports: asyncio.Queue[set[str] | BaseException | None] = asyncio.Queue()

    def pass_on(report: set[str] | BaseException | None) -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(reports.put_nowait, report)

    def work() -> None:
        try:
            with watcher:
                while isinstance(changes := watcher.watch(GATHERED_MS, STEP_MS, 0, _End(stop, left)), set):
                    pass_on({path for _kind, path in changes})
            pass_on(None)
        except BaseException as error:  # it is raised on the loop
            pass_on(error)

    watcher = RustNotify([str(folder) for folder in folders], False, False, 0, recursive, False)
    threading.Thread(target=work, name="cabinet-folder-watch").start()
    try:
        while (report := await reports.get()) is not None:
            if isinstance(report, BaseException):
                raise report
            yield report
    finally:
        left.set()


def _identities(folders: Collection[Path]) -> dict[Path, tuple[int, int]]:
    """Return the existing folders. A new folder of the same name needs a new watcher: the old one would be silent."""
    found = {}
    for folder in folders:
        try:
            about = os.lstat(folder)
        except OSError:
            continue
        found[folder] = (about.st_dev, about.st_ino)
    return found
