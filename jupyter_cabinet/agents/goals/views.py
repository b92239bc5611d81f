"""The view of a goal that people see. Pure."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from ..files.persona import Goal
from ..model import GoalView, PastPeriodView
from .progress import GoalState, label

SHOWN_PERIODS = 60


def goal_view(goal: GoalState, spec: Goal | None, *, now: datetime, zone: ZoneInfo) -> GoalView:
    """Return a goal with its last sixty periods.

    `spec`: the goal in the persona; None if the persona no longer has it.
    """
    return GoalView(
        metric=goal.metric,
        current=float(goal.current),
        target=_number(goal.target),
        unit=spec.unit if spec else "",
        floor=_number(goal.floor),
        stretch=spec.stretch if spec else None,
        period_start=goal.period.first.isoformat(),
        period_end=goal.period.last.isoformat(),
        label=label(goal, now=now, zone=zone),
        history=tuple(
            PastPeriodView(period=past.period, actual=float(past.actual), target=_number(past.target))
            for past in goal.history[-SHOWN_PERIODS:]
        ),
    )


def _number(value: object) -> float | None:
    return None if value is None else float(str(value))
