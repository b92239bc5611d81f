"""Tells for how long a CLI's screen has been still, at a few times. Knows no CLI.

Called by `open_cli.py`. While the screen is not read, or the CLI is paused, nothing can be said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

STEPS_SECONDS = (0.3, 1.0, 5.0)


class Stillness:
    """`rested`: called with each of the steps that has passed since the last `stir`. `blind`: nothing is read now."""

    def __init__(self, rested: Callable[[float], None], blind: Callable[[], bool]) -> None:
        self._rested = rested
        self._blind = blind
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._step = 0
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def stir(self) -> None:
        """Something has come, or was done: it counts from now."""
        self._since, self._step = self._loop.time(), 0
        if self._timer is None and not self._closed:
            self._timer = self._loop.call_later(STEPS_SECONDS[0], self._look)

    def close(self) -> None:
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        self._timer = None
        if self._blind():
            self._since, self._step = self._loop.time(), 0
        passed = self._loop.time() - self._since
        if passed >= STEPS_SECONDS[self._step]:
            step = STEPS_SECONDS[self._step]
            self._step += 1
            self._rested(step)  # may stir
        if self._timer is None and not self._closed and self._step < len(STEPS_SECONDS):
            passed = self._loop.time() - self._since
            self._timer = self._loop.call_later(max(0.0, STEPS_SECONDS[self._step] - passed), self._look)
