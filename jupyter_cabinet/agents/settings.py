"""Plain settings of the room. Made in `app.py`."""

from __future__ import annotations

import msgspec


class AgentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What an operator can set."""

    time_zone: str = "UTC"  # IANA name, for agents that name none
    runs_per_day: int = 200  # of one agent
    daily_cost_usd: float = 20.0  # of an agent that names none
    heartbeat_seconds: float = 300  # of work, at the first attempt
    heartbeat_again_seconds: float = 180  # at the others
    reply_seconds: float = 120
    failures_before_pause: int = 3
