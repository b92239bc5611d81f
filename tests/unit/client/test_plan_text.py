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
        (PlanCounts(), "No steps yet"),
    ],
)
def test_skipped_steps_do_not_count_as_done(counts: PlanCounts, text: str) -> None:
    assert plan_text.counts_text(counts) == text


def test_a_list_and_a_plan_name_the_same_numbers() -> None:
    shared: dict[str, Any] = {"id": "01", "title": "Tidy", "owner": "ada", "owner_name": "Ada", "state": "failed"}
    shared |= {"counts": COUNTS, "cost_usd": None, "may_change": True, "created_at": NOW, "updated_at": NOW}
    line = PlanLine(**shared, description="", reason="", cwd=".", archived=False, open_proposals=0, checklist="PLAN.md")
    heading, row = plan_text.listed([line])
    assert heading.split() == ["PLAN", "STATE", "PROGRESS", "TITLE"]
    assert row.split("  ") == ["01", "", "failed", plan_text.counts_text(COUNTS), "Tidy"]
    view = PlanView(**shared, visibility="server", steps=(StepView(id="s", title="First", state="skipped"),))
    assert "  1 of 5 done, 1 skipped, 1 failed, 1 blocked." in list(plan_text.described(view))
