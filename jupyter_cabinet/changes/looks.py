"""Looks at folders, one at a time, and how each folder was when it was last seen.

Called by `working.py` (to compare), `collecting.py` (what must stay) and `service.py` (the end of the server). A look
itself is `scan.py`'s.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from .model import FileState
from .objects import Objects, Stopped
from .scan import Found, Scanner, TooLarge
from .stat_cache import StatCache

Files = dict[str, FileState]


class Looks:
    """One per server. `baselines`: by folder, as it was when a turn ended or a document was saved."""

    def __init__(self, root: Path, objects: Objects, cache: StatCache) -> None:
        self._root = root
        self._objects = objects
        self._cache = cache
        self._scanners: dict[str, Scanner] = {}
        self._looks: set[threading.Event] = set()  # set: that look ends
        self.lock = asyncio.Lock()  # one look at a time: it takes a disk's time
        self.baselines: dict[str, Files] = {}
        self.closed = False  # no folder is looked at any more

    async def look(self, folder: str, tracked: Mapping[str, FileState] | None = None) -> Found:
        """Raises what `Scanner.look` raises, and `Stopped` when the server ends. Whoever cancels it does not wait."""
        async with self.lock:
            if self.closed:
                raise Stopped
            scanner = self._scanners.setdefault(folder, Scanner(self._root, folder, self._objects, self._cache))
            stop = threading.Event()
            self._looks.add(stop)
            try:
                found = await asyncio.to_thread(scanner.look, tracked or {}, stop)
            except TooLarge:
                self._scanners.pop(folder, None)
                raise
            finally:
                stop.set()  # also where this was cancelled, which no thread hears of
                self._looks.discard(stop)
            self.baselines[folder] = found.files
            return found

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
        for files in self.baselines.values():
            yield from files.values()
        for scanner in self._scanners.values():
            yield from scanner.known

    def known_before(self, oldest: datetime) -> list[FileState]:
        """What earlier servers knew, as far as it is not older. It blocks."""
        return self._cache.all(oldest)
