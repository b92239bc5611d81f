"""Decides when a screen's output is flushed to its viewers: the first bytes at once, then once per interval."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

INTERVALS_OF_A_FLOOD = 5  # between two frames that are not complete


class FlushInterval:
    """Paces the flushes of one screen.

    `seconds`: between two of them, longer while `flooding` says so. `flush`: called when a delayed flush is due.
    """

    def __init__(self, seconds: float, *, flooding: Callable[[], bool], flush: Callable[[], None]) -> None:
        self._seconds = seconds
        self._flooding = flooding
        self._flush = flush
        self._loop = asyncio.get_running_loop()
        self._flushed_at = -math.inf
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_over(self) -> bool:
        """Whether the time since the last flush is over.

        It is longer while the program writes faster than it is read.
        """
        since = self._loop.time() - self._flushed_at
        return since >= self._seconds * (INTERVALS_OF_A_FLOOD if self._flooding() else 1)

    def begin(self) -> None:
        """Start the interval now, because a flush was made, and cancel the timer of the next one."""
        self._flushed_at = self._loop.time()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def flush_later(self) -> None:
        """Flush when the interval is over."""
        if self._timer is None:
            self._timer = self._loop.call_later(self._seconds, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self.is_over:
            self._flush()
        else:
            self.flush_later()
