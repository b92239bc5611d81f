"""Plans as text, for the command line and for cells. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..core.plain_text import one_line, table
from ..plans.model import PlanLine, PlanView, QueuedStep, StepView

TITLE_CHARACTERS, REASON_CHARACTERS = 50, 100
CHOOSE_AGAIN = "If it was renamed or moved, choose it again: `jupyter cabinet plans checklist PLAN FILE`."


def described(plan: PlanView) -> Iterator[str]:
    """Yield the lines that describe a plan and its steps."""
    reason = f" {one_line(plan.reason)}" if plan.reason else ""
    yield f"{plan.id}: {one_line(plan.title)}"
    yield f"  {plan.state}.{reason}"
    yield f"  {counts_text(plan)}."
    if plan.cost_usd is not None:
        yield f"  {plan.cost_usd:.4f} USD"
    if plan.checklist is not None and plan.checklist_missing:
        yield f"  Its checklist {one_line(plan.checklist.path)} is missing. {CHOOSE_AGAIN}"
    if waiting := sum(each.state == "open" for each in plan.proposals):
        yield f"  Proposals that wait for your decision in JupyterLab: {waiting}"
    rows = [(str(at), step.state, _title(step.title), why(step)) for at, step in enumerate(plan.steps, start=1)]
    if rows:
        yield ""
        yield from table(("", "STATE", "STEP", "WHY"), rows)


def counts_text(plan: PlanView | PlanLine) -> str:
    """Return how far a plan is, in the words of its tab: "2 of 5 done, 1 skipped"; what is zero is left out."""
    counts = plan.counts
    total = sum(getattr(counts, name) for name in counts.__struct_fields__ if name != "waiting")
    if not total:
        return "No steps yet"
    others = (
        (counts.skipped, "skipped"),
        (counts.running - counts.waiting, "still running" if plan.state == "paused" else "running"),
        (counts.waiting, "waiting"),
        (counts.failed, "failed"),
        (counts.blocked, "blocked"),
        (counts.queued, "queued"),
    )
    return ", ".join([f"{counts.done} of {total} done", *(f"{count} {words}" for count, words in others if count)])


def listed(plans: Iterable[PlanLine]) -> list[str]:
    """Return a table of plans; empty if there are none."""
    headings = ("PLAN", "STATE", "PROGRESS", "COST", "TITLE", "REASON")
    rows = [_row(plan) for plan in plans]
    return list(table(headings, rows)) if rows else []


def queued(steps: Iterable[QueuedStep]) -> list[str]:
    """Return a table of running and queued steps; empty if there are none."""
    rows = [(each.step.state, _title(each.plan_title), _title(each.step.title), why(each.step)) for each in steps]
    return list(table(("STATE", "PLAN", "STEP", "WHY"), rows)) if rows else []


def _row(plan: PlanLine) -> tuple[str, ...]:
    cost = "" if plan.cost_usd is None else f"{plan.cost_usd:.4f}"
    reason = one_line(plan.reason, most=REASON_CHARACTERS)
    return (plan.id, plan.state, counts_text(plan), cost, _title(plan.title), reason)


def _title(text: str) -> str:
    return one_line(text, most=TITLE_CHARACTERS)


def why(step: StepView) -> str:
    """Return why a step waits, how it ended, or what a person has to do, in one line."""
    text = step.waits or step.blocker or (step.reason if step.state != "done" else step.commit)
    return one_line(text, most=REASON_CHARACTERS)
