"""The only place that looks at a clock. Rules take `now` as an argument instead."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What services ask for the time. Tests bring one that is set to another time meanwhile."""

    def now(self) -> datetime:
        """The time of day, with zone UTC."""

    def monotonic(self) -> float:
        """Seconds since an arbitrary start, never going back. Comparable within one process only."""


class SystemClock:
    """The clock of this machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()
