"""A clock that somebody sets while the server runs. The monotonic one continues."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from jupyter_cabinet.core import ids
from jupyter_cabinet.core.clock import SystemClock


class SetClock(SystemClock):
    """The time of day jumps by `set`, also for ids; the seconds since the start do not."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ahead = 0.0
        monkeypatch.setattr(ids, "time", self)

    def set(self, seconds: float) -> None:
        """Ahead, or back where it is negative."""
        self._ahead += seconds

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.time_ns() / 1e9, UTC)

    def time_ns(self) -> int:
        return time.time_ns() + int(self._ahead * 1e9)
