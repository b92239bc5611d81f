"""The switch that pauses all work: its state, its events and the request that turns it."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ..core.events import Event


class Switch(msgspec.Struct, frozen=True, kw_only=True):
    """Whether work is paused in this root directory. `by` is the display name of the person who switched last."""

    paused: bool = False
    by: str = ""
    at: datetime | None = None


class WorkPaused(Event, frozen=True, kw_only=True, tag="work_paused"):
    """Work was paused: no run is started."""

    resource = "cabinet-runs"

    by: str


class WorkResumed(Event, frozen=True, kw_only=True, tag="work_resumed"):
    """Work was resumed: queued runs are started again."""

    resource = "cabinet-runs"

    by: str


class TurnSwitch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST switch`."""

    paused: bool
    now: bool = False  # with `paused`: also end the runs that work in this server
