"""How far a viewer is: whether it keeps up, whether it is worth slowing the program for. Pure; `now` is handed in.

A viewer says how much it has drawn (`ack`). Who says nothing for a while, or is half a ring behind, is *stalled*: it
is sent nothing more before it speaks again. A client that never says anything is stalled soon, by the same rule.
"""

from __future__ import annotations

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    stall_seconds: float
    pace_bytes: int  # so far the primary may be behind before the program is slowed
    behind_bytes: int  # so far any viewer may be behind


class Pace:
    """One viewer's place in one PTY's output. It starts with a replay up to `until`, which counts for no lag."""

    def __init__(self, limits: Limits, *, offset: int, until: int, now: float) -> None:
        self._limits = limits
        self._until = until
        self._acked = offset
        self._sent = offset
        self._waits_since = now
        self._parked = False

    @property
    def acked(self) -> int:
        return self._acked

    def sent(self, offset: int, now: float) -> None:
        """Everything before `offset` is on its way."""
        if self._sent <= self._acked:
            self._waits_since = now
        self._sent = max(self._sent, offset)

    def acknowledge(self, offset: int, now: float) -> bool:
        """The viewer has drawn everything before `offset`. False for what says nothing new, or cannot be."""
        if not self._acked < offset <= self._sent:
            return False
        self._acked = offset
        self._waits_since = now
        self._parked = False
        return True

    def lag(self, end: int) -> int:
        """How much was written since that the viewer has not drawn."""
        return end - max(self._acked, min(self._until, end))

    def silent_at(self) -> float | None:
        """When it counts as silent unless it speaks before. None: nothing is expected of it."""
        return self._waits_since + self._limits.stall_seconds if self._sent > self._acked else None

    def stalled(self, end: int, now: float) -> bool:
        """Whether to send it nothing more until it speaks. Once so, it stays so."""
        silent_at = self.silent_at()
        if silent_at is not None and (now >= silent_at or self.lag(end) > self._limits.behind_bytes):
            self._parked = True
        return self._parked

    def too_far(self, end: int) -> bool:
        """Whether to begin anew nearer to the end, now that it speaks, instead of going on."""
        return self.lag(end) > self._limits.behind_bytes

    def slows(self, end: int, now: float) -> bool:
        """Whether the program should wait for it. Of the primary alone this is asked."""
        return not self.stalled(end, now) and self.lag(end) > self._limits.pace_bytes
