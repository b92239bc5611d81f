"""The outcome of a tick, and the room's event."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ..core.events import Event


class Tick(msgspec.Struct, frozen=True, kw_only=True):
    """One time at which a schedule was due: it has started a run, or was skipped for a reason."""

    key: str  # what is scheduled, such as "heartbeat/researcher"
    due: datetime
    run_id: str | None = None
    skipped: str = ""  # a sentence; empty where something was started
    missed: int = 0  # ticks before this one that passed while no server could act, up to 1000


class TickSkipped(Event, frozen=True, kw_only=True, tag="tick_skipped"):
    """A schedule was due and nothing was started."""

    key: str
    due: datetime
    reason: str
