"""How far a viewer is: whether to send it more, and whether the program should wait for it. Pure.

`now` is an argument. A viewer reports how much it has drawn (`ack`). It is sent a window beyond that, and no more. A
viewer that reports nothing for a while is *stalled*: nobody waits for it, and it is sent nothing before it reports
again. A client that never reports anything is soon stalled, by the same rule.
"""

from __future__ import annotations

import msgspec


class PacingLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits for one viewer, in seconds and bytes."""

    stall_seconds: float
    window_bytes: int  # with so much unacknowledged a viewer is sent no more
    pace_bytes: int  # how far the primary may be behind before the program is slowed
    behind_bytes: int  # not yet sent: from there on a viewer starts again instead of continuing


class Pace:
    """One viewer's position in one PTY's output. It starts with a replay up to `until`, which makes nobody late."""

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
        """Record that everything before `offset` was sent. `now`: monotonic seconds."""
        if self._sent <= self._acked:
            self._waits_since = now
        self._sent = max(self._sent, offset)

    def acknowledge(self, offset: int, now: float) -> bool:
        """Record that the viewer has drawn everything before `offset`.

        Return False if that is not new, or impossible.
        """
        if not self._acked < offset <= self._sent:
            return False
        self._acked = offset
        self._waits_since = now
        self._stalled = False
        return True

    def stalls_at(self) -> float | None:
        """Return when it counts as stalled unless it reports before. None: no report is expected."""
        return self._waits_since + self._limits.stall_seconds if self._sent > self._acked else None

    def stalled(self, now: float) -> bool:
        """Return whether it has reported nothing for too long. It then stays stalled until it reports."""
        stalls_at = self.stalls_at()
        self._stalled = self._stalled or (stalls_at is not None and now >= stalls_at)
        return self._stalled

    def takes(self, now: float) -> bool:
        """Return whether to send it another frame: not if it is stalled or a full window is unacknowledged."""
        return self._sent - self._acked < self._limits.window_bytes and not self.stalled(now)

    def too_far(self, end: int) -> bool:
        """Return whether to start again nearer to `end`: too much of the output since then was not even sent."""
        return end - max(self._sent, self._until) > self._limits.behind_bytes

    def slows(self, end: int, now: float) -> bool:
        """Return whether the program should wait for it. Only the primary viewer is asked."""
        return end - max(self._acked, self._until) > self._limits.pace_bytes and not self.stalled(now)
