"""The only module that reads a clock and waits for one. Rules take `now` as an argument instead.

Code that waits for time to pass waits for a given `Clock`: a timeout of people and their clients, something kept for a
while, something done at intervals. Limits on waiting for the operating system (a process to end or to stop, a program
to read input, a socket to be written), and the pacing of bytes in fractions of a second, stay on the loop, which
continues while a test's clock stands still. A file that needs both never compares them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol


class Timer(Protocol):
    """A call that `Clock.call_at` will make."""

    def cancel(self) -> None:
        """Do not make the call. No effect if it was made or cancelled before."""


class Clock(Protocol):
    """The clock of services. Tests use one that they set."""

    def now(self) -> datetime:
        """Return the time of day, with time zone UTC."""

    def monotonic(self) -> float:
        """Return seconds since an arbitrary start, never going back. Comparable only within one process."""

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds of `monotonic`."""

    def call_at(self, when: float, call: Callable[[], None]) -> Timer:
        """Call `call` once on the running loop when `monotonic` has reached `when`; soon, if it has already.

        Needs a running loop. Cancelling the returned timer twice, or after the call, is fine.
        """


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
