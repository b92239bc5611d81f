"""Whether a plan has come to rest, and why. Pure."""

from __future__ import annotations

import msgspec

from ..model import Plan, PlanState, Step
from .graph import SETTLED, STUCK, is_ready, settled_ids

PAUSED_BY = "Paused by "  # begins the reason of a plan that a person has paused


def resting(plan: Plan) -> Plan:
    """Return the plan, at rest with a reason if nothing can continue without a person.

    A plan that waits for a decision on a proposal stays running. A plan whose steps have all been settled is done, even
    if it was paused or had failed before. A plan in which nothing can continue has failed if one of its steps has;
    if some are only blocked, it is blocked too. One that was done, failed or blocked, and no longer is, is paused.
    """
    if _running(plan) or plan.state == "draft":
        return plan
    if plan.steps and all(step.state in SETTLED for step in plan.steps):
        return at_rest(plan, "done", _commits(plan))
    queued = [step for step in plan.steps if step.state == "queued"]
    stuck = [step for step in plan.steps if step.state in STUCK]
    settled = settled_ids(plan)
    waiting = [step for step in queued if not is_ready(step, settled)]
    if plan.state == "paused" or (plan.state == "running" and len(waiting) < len(queued)):
        return plan
    if any(step.state == "failed" for step in stuck):
        return at_rest(plan, "failed", _why_stuck(stuck, waiting))
    if stuck:
        return at_rest(plan, "blocked", f"{_why_stuck(stuck, waiting)} {_what_to_do(stuck)}")
    return at_rest(plan, "paused", _what_is_left(plan, queued))


def _commits(plan: Plan) -> str:
    """Return how many commits were made, as a sentence; empty if none was. People see the numbers of steps anyway."""
    commits = sum(step.commit.startswith("Committed") for step in plan.steps)
    return f"{commits} {'commit was' if commits == 1 else 'commits were'} made." if commits else ""


def _what_is_left(plan: Plan, queued: list[Step]) -> str:
    pending = sum(step.state == "pending" for step in plan.steps)
    if not pending:
        return "Run the plan to continue."
    begun = "One step has" if pending == 1 else f"{pending} steps have"
    return f"{begun} not been started.{' The queued steps wait.' if queued else ''}"


def _running(plan: Plan) -> bool:
    return any(step.state == "running" for step in plan.steps)


def at_rest(plan: Plan, state: PlanState, reason: str) -> Plan:
    """Return the plan in this state, for this reason."""
    return msgspec.structs.replace(plan, state=state, reason=reason)


def _why_stuck(stuck: list[Step], waiting: list[Step]) -> str:
    first = next((step for step in stuck if step.state == "failed"), stuck[0])
    how = "failed" if first.state == "failed" else "is blocked"
    why = first_line(first.blocker or first.reason).rstrip(".")
    sentences = [f"“{first.title}” {how}: {why}." if why else f"“{first.title}” {how}."]
    if len(stuck) > 1:
        sentences.append("Another step needs you too." if len(stuck) == 2 else f"{len(stuck) - 1} others need you too.")
    if waiting:
        who = f"“{waiting[0].title}”" + (f" and {len(waiting) - 1} more wait" if len(waiting) > 1 else " waits")
        sentences.append(f"{who} for {'it' if len(stuck) == 1 else 'them'}.")
    return " ".join(sentences)


def _what_to_do(blocked: list[Step]) -> str:
    if len(blocked) == 1:
        return "Resolve this, then run the step again, report it as done, or skip it."
    return "Resolve this, then run these steps again, report them as done, or skip them."


def first_line(text: str) -> str:
    """Return the first line that is not empty, at most 300 characters; empty if there is none."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:300]
