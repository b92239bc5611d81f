"""Scans one folder repeatedly and keeps its known state, also over a restart. One pass is `scan.Look`.

It blocks: call it off the loop.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Collection
from pathlib import Path

import msgspec

from ...core.errors import Unavailable
from ...core.paths import check
from ..decisions.restore import enter
from ..model import FileState, LeftOut
from .exclusions import NOTHING_EXCLUDED, FolderExclusions
from .objects import Objects
from .scan import BOUNDS, Bounds, Count, FolderListing, Look
from .stat_cache import Remembered, StatCache

log = logging.getLogger(__name__)

SAVED_AFTER = 1_000  # files that were read: the state is then saved, and otherwise when the server ends


class Scanner:
    """Scans one folder repeatedly. `root` and `folder` (relative to it, "" for itself) are the server's."""

    def __init__(
        self,
        root: Path,
        folder: str,
        objects: Objects,
        cache: StatCache | None = None,
        bounds: Bounds = BOUNDS,
        excluded: FolderExclusions | None = None,
    ) -> None:
        self._root = root
        self._folder = folder
        self._objects = objects
        self._cache = cache
        self._bounds = bounds
        self._excluded = excluded or NOTHING_EXCLUDED.of(folder)
        self._last = Remembered()
        self._counts = False  # it was too large, or its scan was not finished
        self._unsaved: int | None = None  # files that were read since it was saved; None: it was not loaded yet

    @property
    def known(self) -> list[FileState]:
        """Return files that are not read again unless they change: their contents must stay."""
        return [known.state for known in self._last.files.values()]

    def look(self, tracked: Collection[str] = (), stop: threading.Event | None = None) -> FolderListing:
        """Return all files of the folder as they are now. Only changed ones are read, and their contents are stored.

        Of an excluded folder, only the reason is returned.

        Raises `scan.TooLarge`, `OSError` if the folder cannot be read, `OutsideRoot` if it is outside of the root, and
        `Stopped` at the next file or folder when `stop` is set: the known state of the folder is then unchanged.

        `tracked`: paths that are compared whatever an ignore file says now, since an agent could write one.
        """
        stop = stop or threading.Event()
        if why := self._excluded.why_at_or_above(self._folder, is_folder=True):
            return FolderListing(
                {}, [LeftOut(path=f"{self._folder}/", reason="excluded", why=why)], True, {"excluded": 1}
            )
        if self._unsaved is None:
            self._load(stop)
        if lost := self._objects.lost:  # read again, so that their contents are stored again
            known = {path: one for path, one in self._last.files.items() if one.state.blob not in lost}
            self._last = msgspec.structs.replace(self._last, files=known)
        if self._counts or not self._last.files:  # before anything is read: nothing is kept of one that is too large
            self._walk(Count(self._objects, self._last, tracked, stop, self._bounds, self._excluded))
        self._counts = True  # until it is small enough
        one = self._walk(Look(self._objects, self._last, tracked, stop, self._bounds, self._excluded))
        self._counts = False
        self._unsaved = (self._unsaved or 0) + one.read
        self._last = one.seen
        if self._unsaved >= SAVED_AFTER:
            self.save()
        return FolderListing(one.files, one.left_out, True, one.left_out_counts)

    def _walk(self, one: Look) -> Look:
        start = enter(self._root, check(self._folder) if self._folder else ())
        try:
            one.folder(start, f"{self._folder}/" if self._folder else "", (), 0)
        finally:
            os.close(start)
        return one

    def _load(self, stop: threading.Event) -> None:
        found = self._cache.load(self._folder) if self._cache is not None else None
        if found is not None and found.files:
            kept = self._objects.ids(stop.is_set)
            excluded = self._excluded_files(found.files)
            known = {path: one for path, one in found.files.items() if one.state.blob in kept and path not in excluded}
            self._last = msgspec.structs.replace(found, files=known)
        self._unsaved = 0

    def _excluded_files(self, paths: Collection[str]) -> set[str]:
        """An earlier server may have compared files that are excluded now."""
        folders = {path.rpartition("/")[0] for path in paths}
        excluded = {folder for folder in folders if self._excluded.why_at_or_above(folder, is_folder=True)}
        why = self._excluded.why
        return {path for path in paths if path.rpartition("/")[0] in excluded or why(path, is_folder=False)}

    def save(self) -> None:
        """Save the state for the next start. If it cannot be saved, that only costs time."""
        if self._cache is not None and self._unsaved:
            try:
                self._cache.save(self._folder, self._last)
                self._unsaved = 0
            except (OSError, Unavailable) as error:
                log.warning("The known state of a folder could not be saved: %s", error)
