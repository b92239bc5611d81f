"""`jupyter cabinet activity`: the activity of agents, as a list or as a file."""

from __future__ import annotations

import argparse
from datetime import datetime
from pathlib import Path
from typing import Any

from ..activity.model import ActivityEntry
from ..activity.origins import started_by
from ..client.api import Api, converted
from ..core import durations
from ..core.plain_text import one_line, table
from .downloads import written
from .printing import Printed, local_time
from .runs import INSTRUCTION_CHARACTERS

FILTERS = ("person", "agent", "runtime", "kind", "state", "path", "since", "until", "changed", "asked", "q")
FORMATS = {".jsonl": "jsonl", ".ipynb": "ipynb"}


def shown(api: Api, given: argparse.Namespace) -> Printed:
    """`activity`: newest first; with `--export` into a file."""
    asked = {name: getattr(given, name) for name in FILTERS}
    query: dict[str, Any] = {name: _spelled(value) for name, value in asked.items() if value}
    if given.export is not None:
        return written(api, "activity/export", {**query, "format": FORMATS[given.export.suffix]}, given.export)
    value = api.get("activity", **query, limit=given.limit)
    entries = converted(value["items"], list[ActivityEntry])
    if not entries:
        return Printed(value=value, lines=("No activity matches these filters.",))
    headings = ("RUN", "ASKED", "BY", "WHO", "STATE", "TOOK", "COST", "QUESTIONS", "CHANGED", "ABOUT")
    return Printed(value=value, lines=tuple(table(headings, [_row(entry) for entry in entries])))


def export_file(text: str) -> Path:
    """Parse the file of `--export`; its suffix is the format. Raises `ArgumentTypeError`."""
    if Path(text).suffix not in FORMATS:
        raise argparse.ArgumentTypeError(f"a file that ends in {' or '.join(FORMATS)}")
    return Path(text)


def point_in_time(text: str) -> datetime:
    """Parse a date or a time, by the clock of this machine if it has no zone. Raises `ArgumentTypeError`."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError, OSError):
        raise argparse.ArgumentTypeError("a time such as 2026-03-01 or 2026-03-01T08:00") from None


def _spelled(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return "true" if value is True else str(value)


def _row(entry: ActivityEntry) -> tuple[str, ...]:
    run = entry.run
    counts = run.changed
    changed = f"{counts.files} files +{counts.added} −{counts.removed}" if counts and counts.files else ""
    return (
        run.id,
        local_time(run.queued_at),
        started_by(run.trigger).removeprefix("by "),
        entry.agent_name or run.agent or run.runtime_title,
        f"{run.state}, {run.denied} denied" if run.denied else run.state,
        durations.short(run.duration_seconds),
        "" if run.cost_usd is None else f"{run.cost_usd:.4f} USD",
        str(len(entry.asked)) if entry.asked else "",
        changed,
        one_line(run.instruction or run.reason, most=INSTRUCTION_CHARACTERS),
    )
