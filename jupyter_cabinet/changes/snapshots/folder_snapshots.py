"""Snapshots of folders: takes one at a time, and keeps the last one of each folder.

Called by `run_comparison.py` (to compare), `garbage_collection.py` (what must be kept) and `service.py` (at the end of
the server). `scan.py` reads a whole folder, `partial_snapshot.py` some files of a folder that is too large.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from ..model import FileState
from .exclusions import NOTHING_EXCLUDED, Exclusions
from .objects import Objects, Stopped
from .partial_snapshot import Named, SomeFiles, is_below, may_be_named, tracked_by_git
from .scan import Bounds, FolderListing, TooLarge
from .scanner import Scanner
from .stat_cache import StatCache


class Looks:
    """One per server. `baselines`: by folder, as it was when a turn ended or a document was saved."""

    def __init__(
        self,
        root: Path,
        objects: Objects,
        cache: StatCache,
        bounds: Bounds,
        exclusions: Exclusions = NOTHING_EXCLUDED,
    ) -> None:
        self.exclusions = exclusions
        self._root = root
        self._objects = objects
        self._cache = cache
        self._scanners: dict[str, Scanner] = {}
        self._some_files: dict[str, SomeFiles] = {}
        self._looks: set[threading.Event] = set()  # set: that look ends
        self.bounds = bounds
        self.lock = asyncio.Lock()  # one look at a time: it takes a disk's time
        self.baselines: dict[str, FolderListing] = {}
        self.closed = False  # no folder is looked at any more

    async def look(
        self, folder: str, before: Named | None = None, *, whole: bool = True, document: str | None = None
    ) -> FolderListing:
        """Raises `OSError` and `OutsideRoot` as `Scanner.look`, and `Stopped` when the server ends. Whoever cancels it
        does not wait.

        `before`: what is compared, whatever an ignore file says now. It is all that is looked at where not the `whole`
        folder is, as always where it is too large; None: `document`, what git tracks there, and what was looked at the
        last time.
        """
        async with self.lock:
            if await asyncio.to_thread(self._objects.is_gone):
                self._begin_again()
            found = await self._whole(folder, before or {}) if whole else None
            if found is None:
                found = await self._some(folder, before, document)
            self.baselines[folder] = found
            return found

    async def _whole(self, folder: str, before: Named) -> FolderListing | None:
        """None: it is too large."""
        scanner = self._scanners.get(folder)
        if scanner is None:
            excluded = self.exclusions.of(folder)
            scanner = Scanner(self._root, folder, self._objects, self._cache, self.bounds, excluded)
            self._scanners[folder] = scanner
        try:
            return await self._threaded(lambda stop: scanner.look(before, stop))
        except TooLarge:
            return None

    async def _some(self, folder: str, named: Named | None, document: str | None) -> FolderListing:
        excluded = self.exclusions.of(folder)
        some = self._some_files.setdefault(folder, SomeFiles(self._root, self._objects, self.bounds, excluded))
        if named is None:
            named = await asyncio.to_thread(self._named, folder, document)
        try:
            return await self._threaded(lambda stop: some.look(named, stop))
        except TooLarge:
            return FolderListing({}, [], whole=False)

    def _named(self, folder: str, document: str | None) -> Named:
        below = document is not None and is_below(document, folder) and may_be_named(document)
        own: Named = {document: None} if document is not None and below else {}
        last = self.baselines.get(folder)
        tracked = {**dict.fromkeys(tracked_by_git(self._root, folder)), **own}
        all_of_them = {**tracked, **(last.files if last else {})}
        return next((named for named in (all_of_them, tracked) if len(named) <= self.bounds.files), own)

    async def _threaded(self, look: Callable[[threading.Event], FolderListing]) -> FolderListing:
        if self.closed:
            raise Stopped
        stop = threading.Event()
        self._looks.add(stop)
        try:
            return await asyncio.to_thread(look, stop)
        finally:
            stop.set()  # also where this was cancelled, which no thread hears of
            self._looks.discard(stop)

    def _begin_again(self) -> None:
        """Nothing that was kept is there, so every file is read."""
        self._cache.forget()
        self._scanners.clear()
        self._some_files.clear()
        self.baselines.clear()

    def close(self) -> None:
        """Whoever looks stops at the next file, and nobody looks again."""
        self.closed = True
        for look in self._looks:
            look.set()

    def save(self) -> None:
        """What is known, for the next start. It blocks."""
        for scanner in self._scanners.values():
            scanner.save()

    def forget(self) -> None:
        """What an earlier server knew: somebody else wrote it. It blocks."""
        self._cache.forget()

    def present(self) -> Iterator[FileState]:
        """Files as they were last seen: a folder that is looked at again may need their contents."""
        for found in self.baselines.values():
            yield from found.files.values()
        for scanner in self._scanners.values():
            yield from scanner.known
        for some in self._some_files.values():
            yield from some.known

    def known_before(self, oldest: datetime) -> list[FileState]:
        """What earlier servers knew, as far as it is not older. It blocks."""
        return self._cache.all(oldest)
