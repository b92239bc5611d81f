"""Checks what people and programs enter for a plan and its steps. Called by `service.py`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from ..core.errors import Invalid
from ..core.paths import folder_below
from .model import DEFAULT_STEPS, MAX_STEPS, PlanFields, StepFields, StepReport
from .rules import graph
from .rules.answer_blocks import MAX_SUMMARY

MAX_TITLE, MAX_DESCRIPTION = 200, 50_000
MAX_LIMIT = 1_000_000


def check_fields(fields: PlanFields | None, steps: Sequence[StepFields], root: Path) -> None:
    """Raise `Invalid` for settings that no run could have, and for a folder that does not exist. Blocks.

    Raises `OutsideRoot` for a folder outside the root, and `NotFound` for links that form a loop. Of the steps only
    their folders are checked.
    """
    if fields is not None:
        _check_plan(fields)
    folders = [fields.cwd] if fields is not None else []
    for folder in dict.fromkeys([*folders, *(step.cwd for step in steps if step.cwd)]):
        folder_below(root, folder)


def checked_report(report: StepReport) -> StepReport:
    """Return a report whose texts are cut to 4,000 characters.

    Raises `Invalid` (field `blocker`) if its status is `blocked` and it does not say what a person has to do.
    """
    if report.status == "blocked" and not report.blocker[:MAX_SUMMARY].strip():
        raise Invalid("Say what a person has to do.", field="blocker")
    texts = {"summary": report.summary[:MAX_SUMMARY], "blocker": report.blocker[:MAX_SUMMARY]}
    return msgspec.structs.replace(report, **texts)


def _check_plan(fields: PlanFields) -> None:
    if not fields.title.strip() or len(fields.title) > MAX_TITLE or not graph.is_one_line(fields.title):
        raise Invalid(f"A title is one line of 1 to {MAX_TITLE} characters.", field="title")
    if len(fields.description) > MAX_DESCRIPTION:
        raise Invalid(f"A description has at most {MAX_DESCRIPTION} characters.", field="description")
    for name in ("max_cost_usd", "max_runs", "max_minutes"):
        limit = getattr(fields, name)
        if limit is not None and not 0 < limit <= MAX_LIMIT:  # nothing would begin, or nothing could reach it
            text = f"A limit is a number above 0, and at most {MAX_LIMIT:,}. Leave it out for no limit."
            raise Invalid(text, field=name)
    if fields.checklist is not None:
        graph.check_checklist(fields.checklist)
    if not 1 <= fields.max_steps <= MAX_STEPS:
        raise Invalid(f"max_steps is a number from 1 to {MAX_STEPS}, usually {DEFAULT_STEPS}.", field="max_steps")
