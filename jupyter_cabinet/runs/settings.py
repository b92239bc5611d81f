"""Plain settings of the room. Made in `app.py`."""

from __future__ import annotations

import msgspec

from ..runtimes.model import PermissionMode
from .rules.limits import RunLimits


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator can set."""

    max_concurrent_runs: int = 5
    default_permission_mode: PermissionMode = "edit"
    allow_bypass: bool = False  # whether anybody may choose "No questions"
    limits: RunLimits = RunLimits()
    stop_seconds: float = 10  # for what works to end, when it is stopped
