"""What `%plan run` tells while it waits."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.notebook import plans
from jupyter_cabinet.plans.model import Plan, PlanView, Proposal, Step, StepView
from jupyter_cabinet.plans.views import viewed

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ADA = Principal(username="ada", display_name="Ada")


def view(plan: Plan) -> PlanView:
    return viewed(plan, [StepView(**msgspec.structs.asdict(step)) for step in plan.steps], ADA)


def test_it_tells_once_that_a_proposal_has_to_be_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "LOOK_AGAIN_SECONDS", 0)
    times = {"created_at": NOW, "updated_at": NOW}
    steps = (Step(id="a", title="A", state="done"), Step(id="b", title="B", depends_on=("a",), state="queued"))
    proposal = Proposal(id="q", step_id="a", run_id="r", verdict="NEEDS_REFINEMENT", at=NOW)
    waits = Plan(
        id="p", title="P", owner="ada", owner_name="Ada", visibility="server", state="running", steps=steps, **times
    )
    waits = msgspec.structs.replace(waits, proposals=(proposal,))
    done = msgspec.structs.replace(waits, state="done", steps=(steps[0], Step(id="b", title="B", state="done")))

    views = [view(waits), view(waits), view(done)]

    class Handle:
        def fetch(self) -> PlanView:
            return views.pop(0)

    told: list[str] = []
    assert plans.followed(Handle(), told.append).state == "done"  # type: ignore[arg-type]
    assert told == ["A: done", "Waits for your decision on a proposal.", "B: done"]
