"""Settings of the room that an operator can change. `app.py` creates them."""

from __future__ import annotations

import msgspec


class AgentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Time zone, budgets and time limits that apply to all agents."""

    time_zone: str = "UTC"  # IANA name, for agents whose persona has no time zone
    runs_per_day: int = 200  # limit for each agent
    daily_cost_usd: float = 20.0  # limit for each agent whose persona has none
    heartbeat_seconds: float = 300  # time limit of the first attempt
    heartbeat_again_seconds: float = 180  # time limit of each later attempt
    reply_seconds: float = 120
    failures_before_pause: int = 3
