"""Plans and steps as people see them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from ..core.people import Principal, owns
from ..runs.model import Run
from .model import Plan, PlanCounts, PlanLine, PlanView, QueuedStep, Step, StepView
from .rules.mutations import open_proposals
from .rules.waiting import folder_of, startable, why_waiting

RunOf = Callable[[str | None], Run | None]


def in_list(plan: Plan, principal: Principal, *, waiting: int) -> PlanLine:
    """Return a plan as a line of a list, with its description shortened.

    `principal`: the reader, for `may_change` only. `waiting`: how many of its running steps wait.
    """
    return PlanLine(
        id=plan.id,
        title=plan.title,
        description=plan.description[:300],
        state=plan.state,
        reason=_reason(plan),
        cwd=plan.cwd,
        owner=plan.owner,
        owner_name=plan.owner_name,
        archived=plan.archived,
        may_change=owns(principal, plan.owner),
        counts=counts(plan.steps, waiting=waiting),
        cost_usd=cost(plan),
        open_proposals=sum(each.state == "open" for each in plan.proposals),
        checklist=plan.checklist.path if plan.checklist is not None else None,
        created_at=plan.created_at,
        updated_at=plan.updated_at,
    )


def viewed(plan: Plan, steps: Sequence[StepView], principal: Principal, *, checklist_missing: bool = False) -> PlanView:
    """Return a plan with its steps as people see them."""
    fields = {name: getattr(plan, name) for name in Plan.__struct_fields__} | {
        "steps": tuple(steps),
        "reason": _reason(plan),
    }
    return PlanView(
        **fields,
        checklist_missing=checklist_missing,
        counts=counts(steps, waiting=sum(step.state == "running" and step.waits != "" for step in steps)),
        cost_usd=cost(plan),
        may_change=owns(principal, plan.owner),
    )


def _reason(plan: Plan) -> str:
    """Return why a plan rests, or why a running one does nothing."""
    if plan.state != "running" or any(step.state == "running" for step in plan.steps) or startable(plan, ()):
        return plan.reason
    return "Waits for your decision on a proposal." if open_proposals(plan) else plan.reason


def step_views(
    plan: Plan, occupied: Mapping[str, str], trouble: str, run_of: RunOf, *, paused: str
) -> Iterator[StepView]:
    """Yield the steps of a plan with why each waits.

    `occupied`, `trouble`: see `why_waiting`. `run_of`: finds an unfinished run. `paused`: why the queue of runs
    starts nothing, as a sentence; empty if it does.
    """
    by_id = {each.id: each for each in plan.steps}
    for step in plan.steps:
        waits = ""
        if step.state == "queued":
            waits = why_waiting(plan, step, by_id, occupied, trouble)
        elif step.state == "running":
            waits = _why_running_waits(step, trouble, run_of, paused=paused)
        yield StepView(**msgspec.structs.asdict(step), waits=waits)


def waiting_steps(plan: Plan, trouble: str, run_of: RunOf, *, paused: str) -> int:
    """Return how many running steps of a plan wait. Arguments as for `step_views`."""
    running = (step for step in plan.steps if step.state == "running")
    return sum(_why_running_waits(step, trouble, run_of, paused=paused) != "" for step in running)


def _why_running_waits(step: Step, trouble: str, run_of: RunOf, *, paused: str) -> str:
    return _why_run_waits(run_of(step.run_id), paused=paused) if step.run_id is not None else trouble


def _why_run_waits(run: Run | None, *, paused: str) -> str:
    if run is None:
        return ""
    if run.state == "queued":
        return paused or "Waits in the queue of runs."
    return run.reason or "Waits for a person." if run.state == "waiting" else ""


def queued_steps(
    plans: Sequence[Plan],
    *,
    occupied: Mapping[str, str],
    trouble: Mapping[str, str],
    run_of: RunOf,
    paused: str,
) -> list[QueuedStep]:
    """Return the running steps of these plans, then the queued ones, each by plan and in the order of its steps.

    Arguments as for `step_views`; `trouble` by the ids of the plans.
    """
    found = [
        QueuedStep(
            plan_id=plan.id,
            plan_title=plan.title,
            step=step,
            cwd=folder_of(plan, step),
        )
        for plan in plans
        for step in step_views(plan, occupied, trouble.get(plan.id, ""), run_of, paused=paused)
        if step.state in ("running", "queued")
    ]
    return sorted(found, key=lambda each: each.step.state != "running")


def counts(steps: Sequence[Step], *, waiting: int) -> PlanCounts:
    """Return how many steps are in each state. `waiting`: how many of the running ones wait."""
    found = Counter(str(step.state) for step in steps) | Counter(waiting=waiting)
    return PlanCounts(**{state: found[state] for state in PlanCounts.__struct_fields__})


def cost(plan: Plan) -> float | None:
    """Return the cost of all runs of a plan in US dollars, also of removed steps; None if none is known."""
    known = [cost for cost in (plan.other_cost_usd, *(step.cost_usd for step in plan.steps)) if cost is not None]
    return sum(known) if known else None
