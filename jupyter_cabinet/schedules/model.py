"""The outcome of a tick, and the event for a skipped one."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ..core.events import Event


class Tick(msgspec.Struct, frozen=True, kw_only=True):
    """One time at which a schedule was due: it started a run, or was skipped for a reason."""

    key: str  # the key of the schedule, such as "heartbeat/researcher"
    due: datetime
    run_id: str | None = None
    skipped: str = ""  # the reason, as a sentence; empty if something was started
    missed: int = 0  # ticks before this one that passed while no server could act, up to 1000


class TickSkipped(Event, frozen=True, kw_only=True, tag="tick_skipped"):
    """A schedule was due, but nothing was started."""

    resource = "cabinet-runs"

    key: str
    due: datetime
    reason: str
