"""Finds the folder of a shell: after output, at most once a second, off the loop. Only Linux reports it."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable

from ...core.clock import Clock, Timer

LOOK_EVERY_SECONDS = 1.0
LOOK_AFTER_SECONDS = 0.1  # a prompt is drawn a moment before or after the change


class Folder:
    """Follows one process. `path` is empty until it is known."""

    def __init__(self, pid: int, on_changed: Callable[[str], None], clock: Clock) -> None:
        self.path = ""
        self._pid = pid
        self._on_changed = on_changed
        self._clock = clock
        self._looked_at = -math.inf
        self._timer: Timer | None = None
        self._looking: asyncio.Task[None] | None = None
        self._closed = False

    def may_have_changed(self, output: bytes) -> None:
        """Check the folder soon, at most once a second, because the program has written something. It does not wait."""
        if self._timer is None and not self._closed:
            at = max(self._clock.monotonic() + LOOK_AFTER_SECONDS, self._looked_at + LOOK_EVERY_SECONDS)
            self._timer = self._clock.call_at(at, self._look)

    def close(self) -> None:
        """Stop following."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        self._timer = None
        self._looked_at = self._clock.monotonic()
        self._looking = asyncio.create_task(self._read())

    async def _read(self) -> None:
        path = await asyncio.to_thread(_folder_of, self._pid)
        if path and path != self.path and not self._closed:
            self.path = path
            self._on_changed(path)


def _folder_of(pid: int) -> str:
    try:
        path = os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115 - pathlib would make a path of the text
    except OSError:  # gone, another user's, or no /proc
        return ""
    return path.removesuffix(" (deleted)").encode(errors="replace").decode()
