"""The life of a plan and of its steps: every transition is here. Pure.

Each function takes a plan and returns the plan after the event. An event that a state does not allow raises `Conflict`
with a sentence if a person asked for it (`run`, `pause`, `skip`); if it reports what has happened, it changes nothing,
because reports may be repeated or late.

    draft → running ⇄ paused → done | failed | blocked  a plan
    pending → queued → running → done | failed | blocked
       └─────────┴───────────────→ skipped               a step

A running step goes through phases, each with a separate run: work → verify → commit → handoff → evaluate. Its
`run_id` is None between two of them. `rest.py` decides after each transition whether a plan has come to rest, and why.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from ...core.errors import Conflict
from ..model import Execution, Phase, Plan, Step, StepReport, StepRun, WorkProblem
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

MAX_RUNS = 50  # runs that a step keeps
MAX_ANSWER = 20_000  # characters of an answer that a step keeps, from its end
INTERRUPTED = "interrupted"
# Kinds of failures after which another attempt is not made without a person.
FOR_A_PERSON = frozenset(
    {"cancelled", "cli_missing", "not_logged_in", "permission_denied", "limit", "skipped", INTERRUPTED}
)
# What the report of a step says about its run
_REPORTED: Mapping[str, WorkProblem | None] = {"done": None, "failed": "reported_failed", "blocked": "reported_blocked"}
NO_RESULT = "The answer is empty, and no file was changed."


class WorkEnd(NamedTuple):
    """The result of a run of a step's work, as `results.judged` has found it."""

    status: str  # done, failed, blocked
    reason: str = ""
    failure: str = ""
    blocker: str = ""
    answer: str = ""
    report: StepReport | None = None


class RunEnd(NamedTuple):
    """How a run of a step has ended."""

    run_id: str
    state: str
    cost_usd: float | None = None
    changed_files: int | None = None


# --- people ----------------------------------------------------------------------------------


def run_all(plan: Plan, *, now: datetime) -> Plan:
    """A person starts the plan: everything that may be queued is queued. An archived plan leaves the archive.

    If nothing can begin before a failed or blocked step is done, these steps are run again. Steps behind one are queued
    too: they begin when it is done. Raises `Conflict` if there is nothing to do.
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
    """A person starts one step, again if it has ended. `continuation`: in the session of its last run.

    Raises `Conflict` while it is running, if a dependency failed, or if there is nothing to continue.
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
    """A person pauses the plan. The steps that are running finish. Raises `Conflict` if it is not running.

    `by`: the display name of this person, as in `skip`.
    """
    if plan.state != "running":
        raise Conflict("This plan is not running.")
    return msgspec.structs.replace(plan, state="paused", reason=f"{PAUSED_BY}{by}.")


def within_limits(plan: Plan, spent: float | None, *, now: datetime) -> Plan:
    """Return the plan, paused if it is running and has reached one of its limits. `spent`: in US dollars."""
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
    """Pause a running plan because of something that a person has to see first. `reason`: what, as a sentence."""
    return at_rest(plan, "paused", reason) if plan.state == "running" else plan


def skip(plan: Plan, step_id: str, *, by: str) -> Plan:
    """A person skips a step: its dependents may begin without it. Raises `Conflict` if its run works, or it is done.

    A step whose next run cannot be queued can be skipped: nothing else would end it.
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
    """A person restores a step that was skipped. Raises `Conflict` if it was not, or a dependent has begun."""
    if step_of(plan, step_id).state != "skipped":
        raise Conflict("This step was not skipped.")
    begun = [each for each in dependents(plan, step_id) if each.state not in ("pending", "queued", "skipped")]
    if begun:
        raise Conflict(f"“{begun[0].title}” has begun without it.")
    return resting(with_step(plan, step_id, state="pending", reason=""))


def unqueue(plan: Plan, step_id: str) -> Plan:
    """A person takes a step out of the queue. Raises `Conflict` if it is not queued."""
    if step_of(plan, step_id).state != "queued":
        raise Conflict("This step is not queued.")
    return resting(with_step(plan, step_id, state="pending"))


def reported(plan: Plan, step_id: str, report: StepReport, *, now: datetime, run_id: str | None = None) -> Plan:
    """A step reports its result. A report that comes late corrects a failure; a repeated one changes nothing.

    `run_id`: the run that reports; None: a person does.
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
            changes["runs"] = _with_problem(step, run_id, _REPORTED[report.status])
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
    """A run was queued for the work of a step. Raises `Conflict` if the step may not begin any more."""
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
        runs=_with_run(step, StepRun(run_id=run_id, phase="work", execution=step.execution, at=now)),
    )


def phase_begun(plan: Plan, step_id: str, phase: Phase, run_id: str, *, now: datetime) -> Plan:
    """A run was queued for the next phase of a step. Raises `Conflict` if the step is not between two phases."""
    step = step_of(plan, step_id)
    if step.state != "running" or step.phase != phase or step.run_id is not None:
        raise Conflict("This step does not wait for this.")
    runs = _with_run(step, StepRun(run_id=run_id, phase=phase, at=now))
    return with_step(plan, step_id, run_id=run_id, runs=runs)


def _with_run(step: Step, run: StepRun) -> tuple[StepRun, ...]:
    return (*step.runs, run)[-MAX_RUNS:]


def is_current(plan: Plan, step_id: str, run_id: str, phase: Phase) -> bool:
    """Return whether a run is the one that this step is waiting for."""
    return any(s.id == step_id and s.state == "running" and s.run_id == run_id and s.phase == phase for s in plan.steps)


def work_ended(plan: Plan, step_id: str, end: RunEnd, result: WorkEnd, *, now: datetime) -> Plan:
    """The run of a step's work has ended. The next phase begins, or another attempt, or the step has ended."""
    if not is_current(plan, step_id, end.run_id, "work"):
        return plan
    plan = _run_noted(plan, step_id, end, _work_problem(end, result))
    answer = result.answer[-MAX_ANSWER:]
    plan = with_step(plan, step_id, answer=answer, report=result.report, changed_files=end.changed_files)
    if result.status == "done":
        return _next_phase(plan, step_id, after="work", now=now)
    if result.status == "blocked":
        return _ended(plan, step_id, "blocked", now=now, reason=result.reason, blocker=result.blocker)
    return _failed(plan, step_id, result.reason, result.failure, now=now)


def _work_problem(end: RunEnd, result: WorkEnd) -> WorkProblem | None:
    """Return why the work of a run that succeeded was not done; None if it was, or if the run's state says it."""
    if end.state != "succeeded":
        return None
    if result.report is not None:
        return _REPORTED[result.report.status]
    return "no_result" if result.failure == "no_result" else None


def _with_problem(step: Step, run_id: str, problem: WorkProblem | None) -> tuple[StepRun, ...]:
    """Return the runs of a step after a late report of one of them. A run that did not succeed keeps its state."""
    return tuple(
        msgspec.structs.replace(run, problem=problem) if run.run_id == run_id and run.state == "succeeded" else run
        for run in step.runs
    )


def verify_ended(plan: Plan, step_id: str, end: RunEnd, *, problem: str, failure: str, now: datetime) -> Plan:
    """The verify command of a step has ended. `problem`: why it did not succeed, as a sentence; empty if it did."""
    if not is_current(plan, step_id, end.run_id, "verify"):
        return plan
    plan = _run_noted(plan, step_id, end)
    if failure == INTERRUPTED:
        return plan  # nothing of the work is lost: the command is started again
    if problem:
        return _failed(plan, step_id, problem, failure, now=now)
    return _next_phase(plan, step_id, after="verify", now=now)


def commit_ended(plan: Plan, step_id: str, end: RunEnd, *, said: str, problem: str, now: datetime) -> Plan:
    """The commit of what a step has changed has ended. `said`: what was committed, or why nothing was.

    `problem`: why git refused it, as a sentence. That may be a hook that demands better work, so it counts as a failure
    of the step, which its next attempt reads.
    """
    if not is_current(plan, step_id, end.run_id, "commit"):
        return plan
    plan = with_step(_run_noted(plan, step_id, end), step_id, commit=said)
    if end.state == INTERRUPTED:
        return plan  # it is tried again: what was committed before is not committed twice
    if problem:
        return _failed(plan, step_id, problem, end.state if end.state in FOR_A_PERSON else "commit", now=now)
    return _next_phase(plan, step_id, after="commit", now=now)


def handoff_ended(plan: Plan, step_id: str, end: RunEnd, *, now: datetime) -> Plan:
    """The run that writes the handoff has ended; if it failed, the end of the answer is the handoff."""
    if not is_current(plan, step_id, end.run_id, "handoff"):
        return plan
    return _next_phase(_run_noted(plan, step_id, end), step_id, after="handoff", now=now)


def evaluated(plan: Plan, step_id: str, end: RunEnd, *, now: datetime) -> Plan:
    """The evaluation of a step has ended: the step is done. What it proposes is added by `mutations.py`."""
    if not is_current(plan, step_id, end.run_id, "evaluate"):
        return plan
    return _next_phase(_run_noted(plan, step_id, end), step_id, after="evaluate", now=now)


def phase_skipped(plan: Plan, step_id: str, phase: Phase, reason: str, *, now: datetime) -> Plan:
    """The run of a phase that may fail (commit, handoff, evaluate) could not be queued: the next phase begins."""
    step = step_of(plan, step_id)
    if step.state != "running" or step.phase != phase or step.run_id is not None:
        return plan
    if phase == "commit":
        plan = with_step(plan, step_id, commit=f"Not committed: {reason}")
    return _next_phase(plan, step_id, after=phase, now=now)


def breakdown_failed(plan: Plan, run_id: str, problem: str) -> Plan:
    """The agent that writes steps could not be asked again, or its run is gone."""
    status = plan.breakdown
    if status is None or status.run_id != run_id or status.state not in ("running", "refused"):
        return plan
    return msgspec.structs.replace(plan, breakdown=msgspec.structs.replace(status, state="failed", problem=problem))


def could_not_begin(plan: Plan, step_id: str, reason: str, *, now: datetime) -> Plan:
    """The run of a step was refused, for example because its CLI does not exist."""
    step = step_of(plan, step_id)
    if step.state == "queued" or (step.state == "running" and step.run_id is None):
        return _ended(plan, step_id, "failed", now=now, reason=reason, failure="skipped")
    return plan


def run_lost(plan: Plan, step_id: str, run_id: str, *, now: datetime) -> Plan:
    """The run of a step is gone without having reported its end: it counts as interrupted."""
    step = step_of(plan, step_id)
    if step.state != "running" or step.run_id != run_id:
        return plan
    plan = _run_noted(plan, step_id, RunEnd(run_id=run_id, state=INTERRUPTED))
    reason = "Its run was interrupted. Nothing of it counts as done."
    return _ended(plan, step_id, "failed", now=now, reason=reason, failure=INTERRUPTED)


def _run_noted(plan: Plan, step_id: str, end: RunEnd, problem: WorkProblem | None = None) -> Plan:
    step = step_of(plan, step_id)
    ended = {"state": end.state, "problem": problem}
    runs = tuple(msgspec.structs.replace(r, **ended) if r.run_id == end.run_id else r for r in step.runs)
    cost = step.cost_usd if end.cost_usd is None else (step.cost_usd or 0.0) + end.cost_usd
    return with_step(plan, step_id, runs=runs, cost_usd=cost, run_id=None)


def _next_phase(plan: Plan, step_id: str, *, after: Phase, now: datetime) -> Plan:
    step = step_of(plan, step_id)
    wanted: list[tuple[Phase, bool]] = [
        ("work", True),
        ("verify", bool(step.verify)),
        ("commit", plan.commit),
        ("handoff", needs_handoff(plan, step)),
        ("evaluate", plan.evaluation != "off" and not step.command),
    ]
    order = [phase for phase, _ in wanted]
    for phase, needed in wanted[order.index(after) + 1 :]:
        if needed:
            return with_step(plan, step_id, phase=phase, run_id=None)
    reason = first_line(step.report.summary) if step.report else ""
    return _ended(plan, step_id, "done", now=now, reason=reason)


def needs_handoff(plan: Plan, step: Step) -> bool:
    """Return whether a run has to write the handoff: other steps depend on this one, and it has not reported."""
    has_own = step.report is not None and bool(step.report.summary.strip())
    return not has_own and not step.command and bool(dependents(plan, step.id))


def _failed(plan: Plan, step_id: str, reason: str, failure: str, *, now: datetime) -> Plan:
    """Queue another attempt if one may help and is left; else the step has failed."""
    step = step_of(plan, step_id)
    if failure in FOR_A_PERSON or step.attempts > step.retries:
        return _ended(plan, step_id, "failed", now=now, reason=reason, failure=failure)
    again = {"state": "queued", "phase": None, "run_id": None, "execution": "retry"}
    return resting(with_step(plan, step_id, reason=reason, failure=failure, **again))


def _ended(plan: Plan, step_id: str, state: str, *, now: datetime, **changes: Any) -> Plan:
    cleared = {"phase": None, "run_id": None, "execution": "primary", "failure": "", "blocker": ""}
    return resting(with_step(plan, step_id, **cleared | changes | {"state": state, "finished_at": now}))
