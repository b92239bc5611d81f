"""How often somebody may do something: a sliding window. Pure."""

from __future__ import annotations

from collections import deque


class Rate:
    """At most `count` times within any `seconds`."""

    def __init__(self, count: int, seconds: float) -> None:
        self._count = count
        self._seconds = seconds
        self._times: deque[float] = deque()

    def allows(self, now: float) -> bool:
        """Whether once more is within the rate; it is counted then."""
        while self._times and self._times[0] <= now - self._seconds:
            self._times.popleft()
        if len(self._times) >= self._count:
            return False
        self._times.append(now)
        return True
