"""The only place that looks at a clock and waits for one. Rules take `now` as an argument instead.

What waits for time to pass waits for a `Clock` that it was handed: a timeout of people and their clients, something
kept for a while, something done every so often. What bounds the wait for an operating system (a process to end or to
stand still, a program to take in what was typed, a socket to be written), and what paces bytes in fractions of a
second, stays on the loop: that goes on while a test's clock stands still. A file that needs both never compares them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol


class Timer(Protocol):
    """Something that `Clock.call_at` will call."""

    def cancel(self) -> None:
        """Do not call it."""


class Clock(Protocol):
    """What services ask for the time. Tests bring one that is set to another time meanwhile."""

    def now(self) -> datetime:
        """The time of day, with zone UTC."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary start, never going back. Comparable within one process only."""

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds of `monotonic`."""

    def call_at(self, when: float, call: Callable[[], None]) -> Timer:
        """Have `call` called on the running loop when `monotonic` has reached `when`. Cancelling twice is fine."""


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def call_at(self, when: float, call: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(max(0.0, when - time.monotonic()), call)
