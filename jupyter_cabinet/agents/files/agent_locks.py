"""One lock for each agent, held across processes, because two servers may share a root.

Called by `agent_folders.py`.
"""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...storage.filesystem.private_folders import private_folder
from .safe_files import disk_errors

FOLDER = "locks"


class AgentLocks:
    """Locks agents with `flock` on `<state folder>/locks/<slug>`. The thread that holds a lock may take it again.

    The kernel frees the lock when its holder dies. The file is kept, so that all processes lock the same file.
    """

    def __init__(self, state_folder: Path) -> None:
        self._folder = state_folder / FOLDER
        self._of_this_thread = threading.local()

    def held(self, slug: str) -> bool:
        """Return whether this thread holds the lock of an agent."""
        return slug in self._held()

    def holds_any(self) -> bool:
        """Return whether this thread holds the lock of any agent."""
        return bool(self._held())

    @contextmanager
    def holding(self, *slugs: str) -> Iterator[None]:
        """Hold the locks of these agents. Blocks, without a limit, until they are free: call it off the loop.

        Several locks are taken in sorted order, so that no two callers wait for each other. Raises `Unavailable` or
        `NoRoom` if the state folder cannot be written.
        """
        missing = sorted(set(slugs) - self._held())
        files: list[int] = []
        try:
            for slug in missing:
                files.append(self._take(slug))
                self._held().add(slug)
            yield
        finally:
            self._held().difference_update(missing[: len(files)])
            for file in files:
                os.close(file)

    def _take(self, slug: str) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with disk_errors(f"The lock of the agent {slug}"):
            file = os.open(private_folder(self._folder) / slug, flags, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except BaseException:
            os.close(file)
            raise
        return file

    def _held(self) -> set[str]:
        if not hasattr(self._of_this_thread, "slugs"):
            self._of_this_thread.slugs = set()
        held: set[str] = self._of_this_thread.slugs
        return held
