"""How far a viewer is: whether to send it more, whether it is worth slowing the program for. Pure; `now` is handed in.

A viewer says how much it has drawn (`ack`). It is sent a window beyond that, and no more. Who says nothing for a while
is *stalled*: nobody waits for it, and it is sent nothing before it speaks again. A client that never says anything is
stalled soon, by the same rule.
"""

from __future__ import annotations

import msgspec


class PacingLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What one viewer is allowed, in seconds and bytes."""

    stall_seconds: float
    window_bytes: int  # with so much on its way a viewer is sent no more before it speaks
    pace_bytes: int  # so far the primary may be behind before the program is slowed
    behind_bytes: int  # not yet sent: from there on a viewer begins anew instead of going on


class Pace:
    """One viewer's place in one PTY's output. It starts with a replay up to `until`, which makes nobody late."""

    def __init__(self, limits: PacingLimits, *, offset: int, until: int, now: float) -> None:
        self._limits = limits
        self._until = until
        self._acked = offset
        self._sent = offset
        self._waits_since = now
        self._stalled = False

    @property
    def acked(self) -> int:
        """Offset before which everything is drawn."""
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
        self._stalled = False
        return True

    def stalls_at(self) -> float | None:
        """When it counts as stalled unless it speaks before. None: nothing is expected of it."""
        return self._waits_since + self._limits.stall_seconds if self._sent > self._acked else None

    def stalled(self, now: float) -> bool:
        """Whether it has said nothing for too long. Once so, it stays so until it speaks."""
        stalls_at = self.stalls_at()
        self._stalled = self._stalled or (stalls_at is not None and now >= stalls_at)
        return self._stalled

    def takes(self, now: float) -> bool:
        """Whether to send it another frame: not to who is stalled, nor when a window is on its way already."""
        return self._sent - self._acked < self._limits.window_bytes and not self.stalled(now)

    def too_far(self, end: int) -> bool:
        """Whether to begin anew nearer to `end`: of what was written since, too much was not even sent."""
        return end - max(self._sent, self._until) > self._limits.behind_bytes

    def slows(self, end: int, now: float) -> bool:
        """Whether the program should wait for it. Of the primary alone this is asked."""
        return end - max(self._acked, self._until) > self._limits.pace_bytes and not self.stalled(now)
