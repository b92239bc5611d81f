"""Plans as text: what the command line and cells print."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from jupyter_cabinet.client import plan_text
from jupyter_cabinet.plans.model import PlanCounts, PlanLine, PlanView, StepView

NOW = datetime(2026, 1, 1, tzinfo=UTC)
COUNTS = PlanCounts(pending=1, done=1, failed=1, skipped=1, blocked=1)


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        (COUNTS, "1 of 5 done, 1 skipped, 1 failed, 1 blocked"),
        (PlanCounts(skipped=2), "0 of 2 done, 2 skipped"),
        (PlanCounts(done=1, running=1, queued=2), "1 of 4 done, 1 running, 2 queued"),
        (PlanCounts(done=1, running=2, waiting=1), "1 of 3 done, 1 running, 1 waiting"),
        (PlanCounts(running=1, waiting=1), "0 of 1 done, 1 waiting"),
        (PlanCounts(), "No steps yet"),
    ],
)
def test_skipped_steps_do_not_count_as_done_nor_waiting_ones_as_running(counts: PlanCounts, text: str) -> None:
    assert plan_text.counts_text(_line(counts, "running")) == text


def test_a_paused_plan_says_that_a_step_is_still_running() -> None:
    line = _line(PlanCounts(running=1, queued=1), "paused")
    assert plan_text.counts_text(line) == "0 of 2 done, 1 still running, 1 queued"


def _shared(counts: PlanCounts, state: str) -> dict[str, Any]:
    shared: dict[str, Any] = {"id": "01", "title": "Tidy", "owner": "ada", "owner_name": "Ada", "state": state}
    return shared | {"counts": counts, "cost_usd": None, "may_change": True, "created_at": NOW, "updated_at": NOW}


def _line(counts: PlanCounts, state: str) -> PlanLine:
    shared = _shared(counts, state)
    return PlanLine(**shared, description="", reason="", cwd=".", archived=False, open_proposals=0, checklist="PLAN.md")


def test_a_list_and_a_plan_name_the_same_numbers() -> None:
    line = _line(COUNTS, "failed")
    heading, row = plan_text.listed([line])
    assert heading.split() == ["PLAN", "STATE", "PROGRESS", "TITLE"]
    assert row.split("  ") == ["01", "", "failed", plan_text.counts_text(line), "Tidy"]
    view = PlanView(
        **_shared(COUNTS, "failed"), visibility="server", steps=(StepView(id="s", title="First", state="skipped"),)
    )
    assert "  1 of 5 done, 1 skipped, 1 failed, 1 blocked." in list(plan_text.described(view))
