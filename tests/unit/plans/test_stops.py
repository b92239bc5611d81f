"""How a plan has stopped by itself."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from jupyter_cabinet.plans.model import Plan, Proposal, Step
from jupyter_cabinet.plans.rules.stops import stop_of
from jupyter_cabinet.plans.rules.transitions import pause

NOW = datetime(2026, 11, 1, tzinfo=UTC)
ONE, TWO = Step(id="1", title="one", state="done"), Step(id="2", title="two", state="queued", depends_on=("1",))
OPEN = Proposal(id="p", step_id="1", run_id="r", verdict="NEEDS_REFINEMENT", at=NOW)


def plan(**fields: Any) -> Plan:
    values = {"title": "Plan", "owner": "ada", "owner_name": "Ada", "visibility": "private", "steps": (ONE, TWO)}
    return Plan(id="plan", created_at=NOW, updated_at=NOW, begun_at=NOW, **{**values, **fields})


def stuck(state: Any) -> tuple[Step, ...]:
    return (msgspec.structs.replace(ONE, state=state), TWO)


@pytest.mark.parametrize(
    ("given", "how"),
    [
        (plan(state="draft"), None),
        (plan(state="running"), None),
        (plan(state="done", steps=(ONE,)), "done"),
        (plan(state="done", steps=(ONE,), archived=True), None),
        (plan(state="failed", steps=stuck("failed")), "failed"),
        (plan(state="blocked", steps=stuck("blocked")), "waits"),
        (plan(state="failed", steps=stuck("running")), None),
        (plan(state="paused", reason="Its runs have cost 2.00 USD, and the limit is 2.00 USD."), "waits"),
        (pause(plan(state="running"), by="Ada"), None),
        (plan(state="running", proposals=(OPEN,)), "waits"),
    ],
)
def test_how_a_plan_has_stopped(given: Plan, how: str | None) -> None:
    stop = stop_of(given)
    assert (stop.how if stop else None) == how


def test_another_attempt_is_another_stop() -> None:
    first = stop_of(plan(state="failed", steps=stuck("failed"), begun_runs=1))
    again = stop_of(plan(state="failed", steps=stuck("failed"), begun_runs=2))
    assert first is not None and again is not None and first.key != again.key
    assert first == stop_of(plan(state="failed", steps=stuck("failed"), begun_runs=1))
