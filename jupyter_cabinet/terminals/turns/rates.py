"""Limits how often each person may do something: sliding windows. Pure."""

from __future__ import annotations

from collections import deque


class Rates:
    """At most `count` times within any `seconds`, for each user."""

    def __init__(self, count: int, seconds: float) -> None:
        self._count = count
        self._seconds = seconds
        self._times: dict[str, deque[float]] = {}

    def allows(self, username: str, now: float) -> bool:
        """Return whether once more is within the rate; only then it is counted.

        `now`: seconds of a clock that only grows.
        """
        self._forget(now - self._seconds)
        times = self._times.setdefault(username, deque())
        if len(times) >= self._count:
            return False
        times.append(now)
        return True

    def _forget(self, until: float) -> None:
        """With one shared token anybody can choose a name, and names come and go."""
        for username, times in list(self._times.items()):
            while times and times[0] <= until:
                times.popleft()
            if not times:
                del self._times[username]
