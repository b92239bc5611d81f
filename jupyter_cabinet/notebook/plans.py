"""The magic `%plan`: finds the plan that a line names, and tells what happens to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ..client.cabinet import Cabinet
from ..client.plans import PlanHandle
from ..plans.model import PlanView
from .arguments import what_there_is

LOOK_AGAIN_SECONDS = 0.5
SUFFIXES = (".yaml", ".yml")


class NoPlan(Exception):
    """The line names no plan; the text says what it could name."""


def named(cabinet: Cabinet, name: str) -> PlanHandle:
    """Return the plan of this id (or its end), title or checklist. From a YAML file, a new plan is made on the server.

    The name may be in quotation marks. Raises `NoPlan` if none or several are called that, or if the file cannot be
    read, and `RequestRefused` if it is not a valid plan. Archived plans are not found.
    """
    if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'":
        name = name[1:-1]
    if name.endswith(SUFFIXES):
        return _of_file(cabinet, Path(name))
    found = [plan for plan in cabinet.plans.list() if name in (plan.title, plan.checklist) or plan.id.endswith(name)]
    if len(found) == 1:
        return cabinet.plans[found[0].id]
    titles = [f"“{plan.title}”" for plan in cabinet.plans.list()]
    problem = f"More than one plan is called {name}. Use the id." if found else f"There is no plan {name} here."
    raise NoPlan(f"{problem} {what_there_is('plans', titles)}")


def _of_file(cabinet: Cabinet, path: Path) -> PlanHandle:
    try:
        return cabinet.plans.load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise NoPlan(f"{path} cannot be read: {error}.") from None


def followed(plan: PlanHandle, tell: Callable[[str], None]) -> PlanView:
    """Wait until the plan rests, and tell each change of a step in one line. Return the plan. A draft is returned at
    once.

    There is no time limit. Raises `RequestRefused`, and the first `Unreachable`.
    """
    told: dict[str, str] = {}
    reason = ""
    while True:
        view = plan.fetch()
        for step in view.steps:
            if told.get(step.id) != step.state and step.state not in ("pending", "queued"):
                why = f": {step.blocker or step.reason}" if step.state in ("failed", "blocked") else ""
                tell(f"{step.title}: {step.state}{why}")
            told[step.id] = step.state
        if view.state == "running" and view.reason != reason:
            reason = view.reason
            if reason:
                tell(reason)
        if view.state != "running" and not view.counts.running:
            return view
        time.sleep(LOOK_AGAIN_SECONDS)
