"""The budget of an agent: heartbeats in a calendar month, runs and cost in a day. Pure.

Days and months are those of the agent's time zone. Costs are those that the CLIs report; unreported costs do not count.
"""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec

HEARTBEATS = ("heartbeat", "reflection")  # kinds of runs that count as heartbeats of the month


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of an agent. None: no limit."""

    heartbeats_per_month: int | None = None
    runs_per_day: int | None = None
    cost_per_day_usd: float | None = None


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent has used in its current day and month, before the run that is being checked."""

    heartbeats: int = 0  # in the month
    runs: int = 0  # in the day
    cost_usd: float = 0.0  # in the day


class Since(msgspec.Struct, frozen=True, kw_only=True):
    """The times at which the current day and month began."""

    day: datetime
    month: datetime


def since(now: datetime, zone: ZoneInfo) -> Since:
    """Return when the day and the month of `now` began in the time zone."""
    day = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    return Since(day=day, month=day.replace(day=1))


def refusal(budget: Budget, spent: Spent, *, heartbeat: bool) -> str | None:
    """Return which budget is used up, as a sentence; None if another run may start. Budgets of None are no limit.

    `heartbeat`: whether the run is a heartbeat; the monthly budget counts only for those.
    """
    month, day, cost = budget.heartbeats_per_month, budget.runs_per_day, budget.cost_per_day_usd
    if heartbeat and month is not None and spent.heartbeats >= month:
        return f"The budget of {month} heartbeats a month is used up."
    if day is not None and spent.runs >= day:
        return f"The budget of {day} runs a day is used up."
    if cost is not None and spent.cost_usd >= cost:
        return f"The budget of {cost:.2f} USD a day is used up: {spent.cost_usd:.2f} USD were spent."
    return None
