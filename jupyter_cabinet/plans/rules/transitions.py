"""The life of a plan and of its steps, except the phases of a running step (`step_phases.py`). Pure.

Each function takes a plan and returns the plan after the event. An event that a state does not allow raises `Conflict`
with a sentence if a person asked for it (`run`, `pause`, `skip`); if it reports what has happened, it changes nothing,
because reports may be repeated or late.

    draft → running ⇄ paused → done | failed | blocked  a plan
    pending → queued → running → done | failed | blocked
       └─────────┴───────────────→ skipped               a step

`rest.py` decides after each transition whether a plan has come to rest, and why.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

import msgspec

from ...core.errors import Conflict
from ..model import Execution, Plan, Step, StepReport, StepRun
from .graph import (
    SETTLED,
    STUCK,
    UNBEGUN,
    dependents,
    is_ready,
    obstacle_to_queue,
    settled_ids,
    step_of,
    with_step,
    with_steps,
)
from .mutations import open_proposals
from .rest import PAUSED_BY, at_rest, first_line, resting
from .step_phases import PROBLEM_OF_REPORT, with_problem, with_run

# --- people ----------------------------------------------------------------------------------


def run_all(plan: Plan, *, now: datetime) -> Plan:
    """Return the plan after a person starts it: everything that may be queued is queued.

    An archived plan leaves the archive. If nothing can begin before a failed or blocked step is done, these steps are
    run again. Steps behind one are queued too: they begin when it is done. What the limits count begins again. Raises
    `Conflict` if there is nothing to do.
    """
    pending = {step.id: {"state": "queued"} for step in plan.steps if step.state == "pending"}
    stuck = {step.id: _queued(step) for step in plan.steps if step.state in STUCK}
    for changes in (pending, pending | stuck):
        after = resting(_started(with_steps(plan, changes), now))
        if after.state == "running":
            return after
    raise Conflict(_nothing_to_run(plan))


def _queued(step: Step, execution: Execution = "primary") -> dict[str, Any]:
    """Return what changes if a person starts a step. One that has failed learns why from its last attempt."""
    if execution == "primary" and step.work_run_id is not None and step.state in STUCK:
        execution = "retry"
    reason = step.reason if execution != "primary" else ""
    cleared = {"attempts": 0, "blocker": "", "finished_at": None}
    return {"state": "queued", "execution": execution, "reason": reason, **cleared}


def _nothing_to_run(plan: Plan) -> str:
    if not plan.steps:
        return "This plan has no steps yet. Add one first."
    existing = {step.id for step in plan.steps}
    for step in plan.steps:
        if step.state in UNBEGUN and not existing.issuperset(step.depends_on):
            return f"“{step.title}” depends on a step that does not exist any more. Change its dependencies."
    return "All steps are done or skipped. Add a step, or run one of them again."


def run_step(plan: Plan, step_id: str, execution: Execution = "primary", *, now: datetime) -> Plan:
    """Return the plan after a person starts one step, again if it has ended.

    `continuation`: in the session of its last run. The plan is started, so other queued steps may begin too; if nothing
    can begin, it is paused again. Raises `Conflict` if there is no such step, while it is running, if a dependency has
    failed or is blocked, or if there is nothing to continue.
    """
    step = step_of(plan, step_id)
    if step.state == "running":
        raise Conflict("This step is running already.")
    if obstacle := obstacle_to_queue(plan, step):
        raise Conflict(obstacle)
    if execution == "continuation" and step.work_run_id is None:
        raise Conflict("This step has not run yet, so there is nothing to continue.")
    return resting(_started(with_steps(plan, {step_id: _queued(step, execution)}), now))


def pause(plan: Plan, *, by: str) -> Plan:
    """Return the plan after a person pauses it.

    The steps that are running finish. Raises `Conflict` if it is not running. `by`: the display name of this person, as
    in `skip`.
    """
    if plan.state != "running":
        raise Conflict("This plan is not running.")
    return msgspec.structs.replace(plan, state="paused", reason=f"{PAUSED_BY}{by}.")


def within_limits(plan: Plan, spent: float | None, *, now: datetime) -> Plan:
    """Return the plan, paused if it is running and has reached one of its limits; else the same object.

    `spent`: in US dollars; None: unknown, so the limit of the cost does not apply.
    """
    reason = _limit_reached(plan, spent, now=now) if plan.state == "running" else ""
    return at_rest(plan, "paused", reason) if reason else plan


def _limit_reached(plan: Plan, spent: float | None, *, now: datetime) -> str:
    limit = plan.max_cost_usd
    if limit is not None and spent is not None and spent >= limit:
        cost = f"Its runs have cost {spent:.2f} USD, and the limit is {limit:.2f} USD."
        return f"{cost} Raise the cost limit of the plan to continue."
    if all(step.state != "queued" for step in plan.steps):
        return ""  # nothing would begin, so the other limits stop nothing
    if _runs_used(plan):
        runs = "1 run has" if plan.max_runs == 1 else f"{plan.max_runs} runs have"
        return f"{runs} begun since it was started, which is its limit. Run the plan to continue."
    minutes = plan.max_minutes
    if minutes is not None and plan.begun_at is not None and (now - plan.begun_at).total_seconds() >= minutes * 60:
        return f"{minutes:g} minutes have passed since it was started, which is its limit. Run the plan to continue."
    return ""


def _runs_used(plan: Plan) -> bool:
    """Return whether no further run of its steps' work may begin. Checked for each one: several may begin at once."""
    return plan.max_runs is not None and plan.begun_runs >= plan.max_runs


def _started(plan: Plan, now: datetime) -> Plan:
    """A person starts a plan: what its limits count begins again."""
    return msgspec.structs.replace(plan, state="running", reason="", archived=False, begun_at=now, begun_runs=0)


def set_aside(plan: Plan, reason: str) -> Plan:
    """Return the plan, paused if it was running, because of something that a person has to see first.

    `reason`: what, as a sentence. Steps that are running finish.
    """
    return at_rest(plan, "paused", reason) if plan.state == "running" else plan


def skip(plan: Plan, step_id: str, *, by: str) -> Plan:
    """Return the plan after a person skips a step: its dependents may begin without it.

    Raises `Conflict` if there is no such step, its run works, or it is done. A step whose next run cannot be queued can
    be skipped: nothing else would end it.
    """
    step = step_of(plan, step_id)
    if step.state == "done" or (step.state == "running" and not _is_between(step)):
        how = "done" if step.state == "done" else "running"
        raise Conflict(f"This step is {how}, so it cannot be skipped.{'' if how == 'done' else ' Stop its run first.'}")
    changes = {"reason": f"Skipped by {by}.", "blocker": "", "phase": None}
    return resting(with_step(plan, step_id, state="skipped", **changes))


def _is_between(step: Step) -> bool:
    """Return whether a step is between two phases: the run of the next one has not been queued."""
    return step.state == "running" and step.run_id is None


def restore(plan: Plan, step_id: str) -> Plan:
    """Return the plan after a person restores a step that was skipped: it is pending again, and not queued.

    Raises `Conflict` if there is no such step, it was not skipped, or a dependent has begun.
    """
    if step_of(plan, step_id).state != "skipped":
        raise Conflict("This step was not skipped.")
    begun = [each for each in dependents(plan, step_id) if each.state not in ("pending", "queued", "skipped")]
    if begun:
        raise Conflict(f"“{begun[0].title}” has begun without it.")
    return resting(with_step(plan, step_id, state="pending", reason=""))


def unqueue(plan: Plan, step_id: str) -> Plan:
    """Return the plan after a person takes a step out of the queue.

    Raises `Conflict` if it is not queued or does not exist.
    """
    if step_of(plan, step_id).state != "queued":
        raise Conflict("This step is not queued.")
    return resting(with_step(plan, step_id, state="pending"))


def reported(plan: Plan, step_id: str, report: StepReport, *, now: datetime, run_id: str | None = None) -> Plan:
    """Return the plan after a step reports its result.

    A late report corrects a failure; a repeated one changes nothing. `run_id`: the run that reports; None: a person
    does. While the work of the step is running, the report only counts when that ends. The report of a run that no
    longer does the work changes nothing. Raises `Conflict` if there is no such step, and for a person's report of a
    step that is done or skipped, or whose result is being checked.
    """
    step = step_of(plan, step_id)
    if run_id is not None and run_id != step.work_run_id:
        return plan
    if step.state == "running" and not (run_id is None and _is_between(step)):
        if step.phase == "work":
            return with_step(plan, step_id, report=report)
        if run_id is None:
            raise Conflict("The work of this step has ended, and its result is being checked. Wait a moment.")
        return plan
    if run_id is None and step.state in SETTLED:
        raise Conflict("This step is done or skipped.")
    if step.state == "failed" or run_id is None:
        changes = _after_report(report)
        if run_id is not None:
            changes["runs"] = with_problem(step, run_id, PROBLEM_OF_REPORT[report.status])
        return resting(with_step(plan, step_id, report=report, finished_at=now, phase=None, **changes))
    return plan


def _after_report(report: StepReport) -> dict[str, Any]:
    failure = {"done": "", "failed": "reported", "blocked": ""}[report.status]
    said = first_line(report.blocker if report.status == "blocked" else report.summary)
    reason = said or ("It was reported as failed." if report.status == "failed" else "")
    return {"state": report.status, "reason": reason, "failure": failure, "blocker": report.blocker}


# --- the work --------------------------------------------------------------------------------


def may_begin(plan: Plan, step: Step, settled: Collection[str]) -> bool:
    """Return whether a step may begin now, apart from its working directory. `settled`: see `settled_ids`."""
    wanted = plan.state == "running" and step.state == "queued" and not _runs_used(plan)
    return wanted and is_ready(step, settled) and not awaits_decision(plan, step)


def awaits_decision(plan: Plan, step: Step) -> str:
    """Return the title of the evaluated step whose proposal must be decided before this step; empty if there is none.

    A proposal can put steps before the dependents of the evaluated one, or name a blocker, so these wait for it.
    """
    waiting = open_proposals(plan) if plan.proposals else {}
    found = next((id for id in step.depends_on if id in waiting), None)
    return next((step.title for step in plan.steps if step.id == found), "")


def begun(plan: Plan, step_id: str, run_id: str, *, now: datetime) -> Plan:
    """Return the plan after a run was queued for the work of a step.

    Raises `Conflict` if the step may not begin now, or is gone. Whether its working directory is occupied is not
    checked.
    """
    step = step_of(plan, step_id)
    if not may_begin(plan, step, settled_ids(plan)):
        raise Conflict("This step may not begin now.")
    return with_step(
        msgspec.structs.replace(plan, begun_runs=plan.begun_runs + 1),
        step_id,
        state="running",
        phase="work",
        run_id=run_id,
        work_run_id=run_id,
        attempts=step.attempts + 1,
        report=None,
        answer="",
        commit="",
        changed_files=None,
        started_at=now,
        finished_at=None,
        runs=with_run(step, StepRun(run_id=run_id, phase="work", execution=step.execution, at=now)),
    )


def breakdown_failed(plan: Plan, run_id: str, problem: str) -> Plan:
    """Return the plan after the agent that writes steps could not be asked again, or its run is gone.

    The plan is returned unchanged if it does not wait for this run.
    """
    status = plan.breakdown
    if status is None or status.run_id != run_id or status.state not in ("running", "refused"):
        return plan
    return msgspec.structs.replace(plan, breakdown=msgspec.structs.replace(status, state="failed", problem=problem))
