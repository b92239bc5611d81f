"""The phases of a running step, each with a separate run: work → verify → commit → handoff → evaluate. Pure.

Each function takes a plan and returns the plan after one of these runs was queued or has ended. A report that is
repeated or late changes nothing. Between two phases, the step's `run_id` is None. `transitions.py` has what people do.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from ...core.errors import Conflict
from ..model import Phase, Plan, Step, StepReport, StepRun, WorkProblem
from .graph import dependents, step_of, with_step
from .rest import first_line, resting

MAX_RUNS = 50  # runs that a step keeps
MAX_ANSWER = 20_000  # characters of an answer that a step keeps, from its end
INTERRUPTED = "interrupted"
# Kinds of failures after which another attempt is not made without a person.
FOR_A_PERSON = frozenset(
    {"cancelled", "cli_missing", "not_logged_in", "permission_denied", "limit", "skipped", INTERRUPTED}
)
# What the report of a step says about its run
PROBLEM_OF_REPORT: Mapping[str, WorkProblem | None] = {
    "done": None,
    "failed": "reported_failed",
    "blocked": "reported_blocked",
}
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


def is_current(plan: Plan, step_id: str, run_id: str, phase: Phase) -> bool:
    """Return whether a run is the one that this step is waiting for."""
    return any(s.id == step_id and s.state == "running" and s.run_id == run_id and s.phase == phase for s in plan.steps)


def phase_begun(plan: Plan, step_id: str, phase: Phase, run_id: str, *, now: datetime) -> Plan:
    """Return the plan after a run was queued for the next phase of a step.

    Raises `Conflict` if the step is not between two phases, does not wait for this phase, or is gone.
    """
    step = step_of(plan, step_id)
    if step.state != "running" or step.phase != phase or step.run_id is not None:
        raise Conflict("This step does not wait for this.")
    runs = with_run(step, StepRun(run_id=run_id, phase=phase, at=now))
    return with_step(plan, step_id, run_id=run_id, runs=runs)


def with_run(step: Step, run: StepRun) -> tuple[StepRun, ...]:
    """Return the runs of a step with a new one. The oldest beyond `MAX_RUNS` are forgotten."""
    return (*step.runs, run)[-MAX_RUNS:]


def work_ended(plan: Plan, step_id: str, end: RunEnd, result: WorkEnd, *, now: datetime) -> Plan:
    """Return the plan after the run of a step's work has ended.

    The step is then in its next phase, queued for another attempt, or done, failed or blocked. The plan is returned
    unchanged if the step does not wait for this run.
    """
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
        return PROBLEM_OF_REPORT[result.report.status]
    return "no_result" if result.failure == "no_result" else None


def with_problem(step: Step, run_id: str, problem: WorkProblem | None) -> tuple[StepRun, ...]:
    """Return the runs of a step after a late report of one of them. A run that did not succeed keeps its state."""
    return tuple(
        msgspec.structs.replace(run, problem=problem) if run.run_id == run_id and run.state == "succeeded" else run
        for run in step.runs
    )


def verify_ended(plan: Plan, step_id: str, end: RunEnd, *, problem: str, failure: str, now: datetime) -> Plan:
    """Return the plan after the verify command of a step has ended. A failure may queue another attempt of the work.

    `problem`: why it did not succeed, as a sentence; empty if it did. If it was interrupted, it has to be started
    again. The plan is returned unchanged if the step does not wait for this run.
    """
    if not is_current(plan, step_id, end.run_id, "verify"):
        return plan
    plan = _run_noted(plan, step_id, end)
    if failure == INTERRUPTED:
        return plan  # nothing of the work is lost: the command is started again
    if problem:
        return _failed(plan, step_id, problem, failure, now=now)
    return _next_phase(plan, step_id, after="verify", now=now)


def commit_ended(plan: Plan, step_id: str, end: RunEnd, *, said: str, problem: str, now: datetime) -> Plan:
    """Return the plan after the commit of what a step has changed has ended.

    `said`: what was committed, or why nothing was. `problem`: why git refused it, as a sentence. That may be a hook
    that demands better work, so it counts as a failure of the step, which its next attempt reads. The plan is returned
    unchanged if the step does not wait for this run.
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
    """Return the plan after the run that writes the handoff has ended, in whatever way: the next phase begins.

    The plan is returned unchanged if the step does not wait for this run.
    """
    if not is_current(plan, step_id, end.run_id, "handoff"):
        return plan
    return _next_phase(_run_noted(plan, step_id, end), step_id, after="handoff", now=now)


def evaluated(plan: Plan, step_id: str, end: RunEnd, *, now: datetime) -> Plan:
    """Return the plan after the evaluation of a step has ended, in whatever way: the step is done.

    What it proposes is added by `mutations.py`. The plan is returned unchanged if the step does not wait for this run.
    """
    if not is_current(plan, step_id, end.run_id, "evaluate"):
        return plan
    return _next_phase(_run_noted(plan, step_id, end), step_id, after="evaluate", now=now)


def phase_skipped(plan: Plan, step_id: str, phase: Phase, reason: str, *, now: datetime) -> Plan:
    """Return the plan after the run of a phase (commit, handoff, evaluate) could not be queued: the next phase begins.

    The plan is returned unchanged if the step does not wait for this. Raises `Conflict` if the step is gone.
    """
    step = step_of(plan, step_id)
    if step.state != "running" or step.phase != phase or step.run_id is not None:
        return plan
    if phase == "commit":
        plan = with_step(plan, step_id, commit=f"Not committed: {reason}")
    return _next_phase(plan, step_id, after=phase, now=now)


def could_not_begin(plan: Plan, step_id: str, reason: str, *, now: datetime) -> Plan:
    """Return the plan after the run of a step was refused, for example because its CLI does not exist.

    The step has failed. The plan is returned unchanged if the step waits for no run. Raises `Conflict` if the step is
    gone.
    """
    step = step_of(plan, step_id)
    if step.state == "queued" or (step.state == "running" and step.run_id is None):
        return _ended(plan, step_id, "failed", now=now, reason=reason, failure="skipped")
    return plan


def run_lost(plan: Plan, step_id: str, run_id: str, *, now: datetime) -> Plan:
    """Return the plan after the run of a step is gone without having reported its end.

    The step has failed as interrupted. The plan is returned unchanged if the step does not wait for this run. Raises
    `Conflict` if the step is gone.
    """
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
    """Return whether a run has to write the handoff: other steps depend on this one, and it has reported no summary.

    False for a step with a command.
    """
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
