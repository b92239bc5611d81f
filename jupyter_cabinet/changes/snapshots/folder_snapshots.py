"""Snapshots of folders: takes one at a time, and keeps the last one of each folder.

Called by `run_comparison.py` (to compare), `garbage_collection.py` (contents to keep) and `service.py` (at the end of
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
    """One per server. `baselines`: by folder, its state when a turn ended or a document was saved."""

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
        self._looks: set[threading.Event] = set()  # set: that snapshot ends
        self.bounds = bounds
        self.lock = asyncio.Lock()  # one snapshot at a time: it occupies the disk
        self.baselines: dict[str, FolderListing] = {}
        self.closed = False  # no further snapshots

    async def look(
        self, folder: str, before: Named | None = None, *, whole: bool = True, document: str | None = None
    ) -> FolderListing:
        """Take a snapshot, after running ones, and keep it in `baselines`.

        Raises `OSError` and `OutsideRoot` like `Scanner.look`, and `Stopped` when the server ends. A caller that is
        cancelled does not wait. `before`: the files to compare, whatever an ignore file says now. Only these are read
        unless the `whole` folder is, as always if it is too large; None: `document`, the files that git tracks there,
        and those of the last snapshot. If even these are too many, the listing is empty and not `whole`.
        """
        async with self.lock:
            if await asyncio.to_thread(self._objects.is_gone):
                self._begin_again()
            found = await self._whole(folder, before or {}) if whole else None
            if found is None:
                found = await self._some(folder, before, document)
            self.baselines[folder] = found
            return found

    def compares(self, path: str, folder: str) -> bool:
        """Return whether snapshots of a folder include a file, by its path."""
        return is_below(path, folder) and not self.exclusions.of(folder).why_at_or_above(path)

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
            stop.set()  # also if this was cancelled, which the thread does not notice
            self._looks.discard(stop)

    def _begin_again(self) -> None:
        """None of the kept contents exists, so every file is read."""
        self._cache.forget()
        self._scanners.clear()
        self._some_files.clear()
        self.baselines.clear()

    def close(self) -> None:
        """Stop the running snapshot at the next file, and allow no further one."""
        self.closed = True
        for look in self._looks:
            look.set()

    def save(self) -> None:
        """Save the known state for the next start. It blocks."""
        for scanner in self._scanners.values():
            scanner.save()

    def forget(self) -> None:
        """Delete the state that earlier servers have saved, because it is untrusted. Blocks."""
        self._cache.forget()

    def present(self) -> Iterator[FileState]:
        """Return files as they were last seen: the next snapshot of a folder may need their contents."""
        for found in self.baselines.values():
            yield from found.files.values()
        for scanner in self._scanners.values():
            yield from scanner.known
        for some in self._some_files.values():
            yield from some.known

    def known_before(self, oldest: datetime) -> list[FileState]:
        """Return the saved state of earlier servers.

        What was last written before `oldest` is removed instead. It blocks.
        """
        return self._cache.all(oldest)
