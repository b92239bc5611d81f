"""A plan as HTML and plain text, for the output of a cell. Pure.

All text of people and agents in it is escaped, and its control and invisible characters are made visible.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from ..client.plan_text import counts_text, described, why
from ..core.plain_text import one_line
from ..plans.model import PlanView, StepView

HEADINGS = ("", "State", "Step", "Why")
LEFT = ' style="text-align: left"'


def of_plan(plan: PlanView) -> tuple[str, str]:
    """Return a plan with its state and its steps as HTML and as plain text."""
    return "\n".join(_html(plan)), "\n".join(described(plan))


def _html(plan: PlanView) -> Iterator[str]:
    reason = f" {_safe(plan.reason)}" if plan.reason else ""
    yield "<div>"
    yield f"<p><strong>{_safe(plan.title)}</strong></p>"
    yield f"<p>{_safe(plan.state.capitalize())}.{reason}<br>{_safe(counts_text(plan))}.</p>"
    if plan.steps:
        yield "<table>"
        yield f"<thead><tr>{''.join(f'<th{LEFT}>{heading}</th>' for heading in HEADINGS)}</tr></thead>"
        yield "<tbody>"
        for number, step in enumerate(plan.steps, start=1):
            yield _row(number, step)
        yield "</tbody>"
        yield "</table>"
    yield "</div>"


def _row(number: int, step: StepView) -> str:
    cells = (str(number), step.state, step.title, why(step))
    return f"<tr>{''.join(f'<td{LEFT}>{_safe(cell)}</td>' for cell in cells)}</tr>"


def _safe(text: str) -> str:
    return escape(one_line(text))
