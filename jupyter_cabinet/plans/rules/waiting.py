"""Which steps begin next, and why the others wait. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..model import Plan, Step
from .graph import SETTLED, STUCK, settled_ids
from .transitions import awaits_decision, may_begin


def folder_of(plan: Plan, step: Step) -> str:
    """Return the working directory of a step, relative to the server's root and without a final slash.

    `.` is the root.
    """
    parts = [part for part in (step.cwd or plan.cwd or ".").split("/") if part not in ("", ".")]
    return "/".join(parts) or "."


def startable(plan: Plan, occupied: Collection[str]) -> list[Step]:
    """Return the steps to start now, in their order: at most one for each working directory that is not occupied."""
    taken, chosen, settled = set(occupied), [], settled_ids(plan)
    for step in plan.steps:
        folder = folder_of(plan, step)
        if folder not in taken and may_begin(plan, step, settled):
            taken.add(folder)
            chosen.append(step)
    return chosen


def why_waiting(
    plan: Plan, step: Step, by_id: Mapping[str, Step], occupied: Mapping[str, str], trouble: str = ""
) -> str:
    """Return why a queued step has not begun, as a sentence; never empty.

    `by_id`: the steps of the plan. `occupied`: the title of the step that works in each directory; empty: the caller
    may not see it. `trouble`: why the server starts nothing now.
    """
    if plan.state == "paused":
        return "The plan is paused."
    if any(id not in by_id for id in step.depends_on):
        return "Waits for a step that does not exist any more. Change the steps that it depends on."
    open_ones = [by_id[id] for id in step.depends_on if id in by_id and by_id[id].state not in SETTLED]
    stuck = next((each for each in open_ones if each.state in STUCK), None)
    if stuck is not None:
        return f"Waits because “{stuck.title}” {'failed' if stuck.state == 'failed' else 'is blocked'}."
    if open_ones:
        others = f" and {len(open_ones) - 1} more" if len(open_ones) > 1 else ""
        return f"Waits for “{open_ones[0].title}”{others}."
    if title := awaits_decision(plan, step):
        return f"Waits for your decision on the proposal after “{title}”."
    folder = folder_of(plan, step)
    if folder in occupied:
        where = "the root folder" if folder == "." else folder
        who = f"“{occupied[folder]}”" if occupied[folder] else "a step of another person"
        return f"Waits because {who} works in {where}."
    return trouble or "Begins next."
