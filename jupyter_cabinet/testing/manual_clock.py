"""A clock that a test advances: hours of waiting pass in milliseconds.

It controls everything that waits through `core.clock.Clock`. Waiting for a process or a disk is not affected: give
`advance` a function that says whether such work is running, and time stands still meanwhile.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

TURNS_OF_THE_LOOP = 20  # the time for woken tasks to sleep again, if nothing else is running
LOOK_AGAIN_SECONDS = 0.0005


class ManualTimer:
    """A call that the clock will make."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    @property
    def is_set(self) -> bool:
        """Whether it is still to be called."""
        return self._call is not None

    def cancel(self) -> None:
        """Do not call it."""
        self._call = None

    def fire(self) -> None:
        """Its time has come."""
        if self._call is not None:
            self._call()


class ManualClock:
    """`start`: the time of day at the beginning, with a zone."""

    def __init__(self, start: datetime = datetime(2026, 11, 1, 12, tzinfo=UTC)) -> None:
        self._start = start
        self._seconds = 0.0
        self._timers: list[tuple[float, int, ManualTimer]] = []
        self._order = count()

    @property
    def pending(self) -> int:
        """How many calls and sleeps wait for their time."""
        return sum(timer.is_set for *_, timer in self._timers)

    def now(self) -> datetime:
        """The time of day, which advances with `monotonic`."""
        return self._start + timedelta(seconds=self._seconds)

    def monotonic(self) -> float:
        """Seconds since the beginning."""
        return self._seconds

    async def sleep(self, seconds: float) -> None:
        """Return when the clock was advanced by so much."""
        woken = asyncio.Event()
        timer = self.call_at(self._seconds + seconds, woken.set)
        try:
            await woken.wait()
        finally:
            timer.cancel()

    def call_at(self, when: float, call: Callable[[], None]) -> ManualTimer:
        """Call `call` when the clock reaches `when` or passes it; calls are made in the order of their times."""
        timer = ManualTimer(call)
        heapq.heappush(self._timers, (when, next(self._order), timer))
        return timer

    async def advance(self, seconds: float, *, busy: Callable[[], bool] = lambda: False) -> None:
        """Advance, and stop at every timer on the way until the tasks it has woken are idle.

        `busy`: whether work is running outside the loop, such as a transaction.
        """
        until = self._seconds + seconds
        await _rest(busy)
        while self._timers and self._timers[0][0] <= until:
            when, _, timer = heapq.heappop(self._timers)
            self._seconds = max(self._seconds, when)
            timer.fire()
            await _rest(busy)
        self._seconds = until


async def _rest(busy: Callable[[], bool]) -> None:
    quiet = 0
    while quiet < TURNS_OF_THE_LOOP:
        quiet += 1
        await asyncio.sleep(0)
        if busy():
            quiet = 0
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
