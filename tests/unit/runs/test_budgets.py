"""What an agent may spend, by the days and months of its zone."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from jupyter_cabinet.runs.rules.budgets import Budget, Spent, refusal, since

BUDGET = Budget(heartbeats_per_month=100, runs_per_day=10, cost_per_day_usd=2.5)


def test_heartbeats_are_counted_by_the_month_and_other_runs_by_the_day() -> None:
    assert refusal(BUDGET, Spent(heartbeats=99, runs=9, cost_usd=2.49), heartbeat=True) is None
    used_up = Spent(heartbeats=100)
    assert refusal(BUDGET, used_up, heartbeat=True) == "The budget of 100 heartbeats a month is used up."
    assert refusal(BUDGET, used_up, heartbeat=False) is None
    assert refusal(BUDGET, Spent(runs=10), heartbeat=False) == "The budget of 10 runs a day is used up."
    spent = refusal(BUDGET, Spent(cost_usd=2.51), heartbeat=False)
    assert spent == "The budget of 2.50 USD a day is used up: 2.51 USD were spent."


def test_zero_means_zero_and_none_means_no_limit() -> None:
    assert refusal(Budget(heartbeats_per_month=0), Spent(), heartbeat=True) is not None
    assert refusal(Budget(), Spent(heartbeats=10**6, runs=10**6, cost_usd=1e6), heartbeat=True) is None


def test_a_day_begins_at_midnight_of_the_zone_also_when_the_clocks_change() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    begun = since(datetime(2026, 3, 29, 12, tzinfo=UTC), berlin)  # the clocks went forward in the night
    assert begun.day.astimezone(UTC) == datetime(2026, 3, 28, 23, tzinfo=UTC)
    assert begun.month.astimezone(UTC) == datetime(2026, 2, 28, 23, tzinfo=UTC)
    evening = since(datetime(2026, 3, 29, 22, 30, tzinfo=UTC), berlin)
    assert evening.day.astimezone(UTC) == datetime(2026, 3, 29, 22, tzinfo=UTC)
